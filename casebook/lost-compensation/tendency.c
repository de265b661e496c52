/* Heat that a cell radiates and conducts: -C (T^4 - S^4) / T^3, with C = 0.05 and surroundings at S = 280. */
#include "cells.h"

void tendency(const float *temperature, float *change, float step, int cells)
{
    const float surroundings = 280.0f * 280.0f;
    for (int i = 0; i < cells; i++) {
        float square = temperature[i] * temperature[i];
        float difference = (square - surroundings) * (square + surroundings);
        change[i] = -0.05f * step * (difference / (square * temperature[i]));
    }
}
