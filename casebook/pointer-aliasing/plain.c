/* c += a b. The compiler must assume that a store to c may change a row of b. */
void multiply(const double *a, const double *b, double *c, int rows, int inner, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++)
            for (int j = 0; j < columns; j++)
                c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}
