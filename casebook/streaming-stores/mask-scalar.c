/* The lower half of a vector past the caches (MASKMOVDQU): a scalar store that does not need integer registers. */
#include "triad.h"

#include <immintrin.h>

void triad(double *restrict a, const double *restrict b, const double *restrict c, const double *restrict d, size_t n)
{
    const __m128i low = _mm_set_epi64x(0, -1);
    for (size_t i = 0; i < n; i++) {
        __m128d value = _mm_set_sd(b[i] + c[i] * d[i]);
        _mm_maskmoveu_si128(_mm_castpd_si128(value), low, (char *)(a + i));
    }
    _mm_sfence();
}
