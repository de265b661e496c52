/* c += a b with the loops over j and k interchanged: the inner one adds a multiple of a row of b to a row of c. */
void multiply(const double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
