/* The bytes of a vector that a mask chooses, here all, to any address (MASKMOVDQU): the only packed store past the caches
 * that needs no alignment. */
#include "triad.h"

#include <immintrin.h>

void triad(double *restrict a, const double *restrict b, const double *restrict c, const double *restrict d, size_t n)
{
    const __m128i all = _mm_set1_epi8(-1);
    for (size_t i = 0; i < n; i += 2) {
        __m128d value = _mm_fmadd_pd(_mm_load_pd(c + i), _mm_load_pd(d + i), _mm_load_pd(b + i));
        _mm_maskmoveu_si128(_mm_castpd_si128(value), all, (char *)(a + i));
    }
    _mm_sfence();
}
