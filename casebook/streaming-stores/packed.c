/* Whole vectors go past the caches (MOVNTPD); they have to be aligned. Buffers for a few lines collect them until a line
 * is complete, so that no line is read first. The fence orders them before later accesses. */
#include "triad.h"

#include <immintrin.h>

void triad(double *restrict a, const double *restrict b, const double *restrict c, const double *restrict d, size_t n)
{
    for (size_t i = 0; i < n; i += 4)
        _mm256_stream_pd(a + i, _mm256_fmadd_pd(_mm256_load_pd(c + i), _mm256_load_pd(d + i), _mm256_load_pd(b + i)));
    _mm_sfence();
}
