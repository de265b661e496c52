/* Stores go through the cache: each line of `a` is read before it is overwritten. */
#include "triad.h"

void triad(double *restrict a, const double *restrict b, const double *restrict c, const double *restrict d, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + c[i] * d[i];
}
