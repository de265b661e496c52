/* One element at a time past the caches (MOVNTI): for loops that cannot be vectorised, and unaligned arrays. */
#include "triad.h"

#include <immintrin.h>
#include <string.h>

void triad(double *restrict a, const double *restrict b, const double *restrict c, const double *restrict d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double value = b[i] + c[i] * d[i];
        long long bits;
        memcpy(&bits, &value, sizeof bits);
        _mm_stream_si64((long long *)a + i, bits);
    }
    _mm_sfence();
}
