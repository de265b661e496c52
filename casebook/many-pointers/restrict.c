/* c += a b, complex. `restrict` promises that no other pointer accesses what c_re or c_im points to. */
void multiply(const double *a_re, const double *a_im, const double *b_re, const double *b_im,
              double *restrict c_re, double *restrict c_im, int rows, int inner, int columns)
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
