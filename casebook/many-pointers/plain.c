/* c += a b, complex. Two arrays are written and four are read: nine pairs that might overlap. */
void multiply(const double *a_re, const double *a_im, const double *b_re, const double *b_im, double *c_re,
              double *c_im, int rows, int inner, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++)
            for (int j = 0; j < columns; j++) {
                c_re[i * columns + j] += a_re[i * inner + k] * b_re[k * columns + j]
                                       - a_im[i * inner + k] * b_im[k * columns + j];
                c_im[i * columns + j] += a_re[i * inner + k] * b_im[k * columns + j]
                                       + a_im[i * inner + k] * b_re[k * columns + j];
            }
}
