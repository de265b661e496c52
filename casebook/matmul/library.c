/* c += a b by the library, which chooses kernels and block sizes for the processor. */
#include <cblas.h>

void multiply(const double *a, const double *b, double *c, int n)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 1, c, n);
}
