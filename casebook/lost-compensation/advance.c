/* The compensated sum of W. Kahan (CACM 8, 1965): what an addition rounds away is kept, and added with the next change. */
#include "cells.h"

void advance(float *temperature, float *carry, const float *change, int cells)
{
    for (int i = 0; i < cells; i++) {
        float due = change[i] - carry[i];
        float sum = temperature[i] + due;
        carry[i] = (sum - temperature[i]) - due;
        temperature[i] = sum;
    }
}
