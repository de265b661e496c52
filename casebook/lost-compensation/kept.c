/* The compensated sum of W. Kahan (CACM 8, 1965): what an addition rounds away is kept, and added with the next change. By the
 * rules of real numbers the carry is zero, so that options which allow those rules remove it: this source refuses them. */
#include "cells.h"

#if defined(__clang__)
#pragma float_control(precise, on)
#else
#pragma GCC optimize("no-associative-math")
#endif

void advance(float *restrict temperature, float *restrict carry, const float *restrict change, int cells)
{
    for (int i = 0; i < cells; i++) {
        float due = change[i] - carry[i];
        float sum = temperature[i] + due;
        carry[i] = (sum - temperature[i]) - due;
        temperature[i] = sum;
    }
}
