/* Eight cells stay in registers while the faces of a block are processed: no intermediate arrays, no branch, and both tests
 * are one mask. */
#include "pack.h"

#include <immintrin.h>

static void pairs(struct packed cell, int c1, int c1_end, const struct face *wall, int f1, int f1_end,
                  double *square, int *nearest)
{
    for (int c = c1; c < c1_end; c += 8) {
        /* The last cells fill only part of the lanes. */
        __mmask8 live = c1_end - c < 8 ? (__mmask8)((1u << (c1_end - c)) - 1) : 0xff;
        __m512d x = _mm512_maskz_loadu_pd(live, cell.x + c);
        __m512d y = _mm512_maskz_loadu_pd(live, cell.y + c);
        __m512d z = _mm512_maskz_loadu_pd(live, cell.z + c);
        __m512d best = _mm512_maskz_loadu_pd(live, square + c);
        __mmask8 changed = 0;
        __m512i number = _mm512_setzero_si512();
        for (int f = f1; f < f1_end; f++) {
            __m512d dx = _mm512_sub_pd(x, _mm512_set1_pd(wall[f].at[0]));
            __m512d dy = _mm512_sub_pd(y, _mm512_set1_pd(wall[f].at[1]));
            __m512d dz = _mm512_sub_pd(z, _mm512_set1_pd(wall[f].at[2]));
            __m512d s = _mm512_fmadd_pd(dz, dz, _mm512_fmadd_pd(dy, dy, _mm512_mul_pd(dx, dx)));
            __m512d front = _mm512_mul_pd(dx, _mm512_set1_pd(wall[f].normal[0]));
            front = _mm512_fmadd_pd(dy, _mm512_set1_pd(wall[f].normal[1]), front);
            front = _mm512_fmadd_pd(dz, _mm512_set1_pd(wall[f].normal[2]), front);
            __mmask8 nearer = _mm512_cmp_pd_mask(s, best, _CMP_LT_OQ);
            nearer = _mm512_mask_cmp_pd_mask(nearer, front, _mm512_setzero_pd(), _CMP_GT_OQ);
            best = _mm512_mask_mov_pd(best, nearer, s);
            number = _mm512_mask_set1_epi64(number, nearer, f);
            changed |= nearer;
        }
        changed &= live;
        _mm512_mask_storeu_pd(square + c, changed, best);
        _mm512_mask_cvtepi64_storeu_epi32(nearest + c, changed, number);
    }
}
