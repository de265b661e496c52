/* Shared by the driver and all stages. */
#ifndef TRIAD_H
#define TRIAD_H

#include <stddef.h>

/* a = b + c d, for n elements, a multiple of 64. Only `a` may begin elsewhere than a cache line. */
void triad(double *restrict a, const double *restrict b, const double *restrict c, const double *restrict d, size_t n);

#endif
