/* c += a b as in the formula: an inner product of a row and a column for each element. The column is walked down
 * in steps of a whole row, so that every load of b touches another cache line and another page. */
void multiply(const double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
