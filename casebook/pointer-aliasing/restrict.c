/* c += a b. `restrict` promises that no other pointer accesses what c points to. */
void multiply(const double *a, const double *b, double *restrict c, int rows, int inner, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++)
            for (int j = 0; j < columns; j++)
                c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}
