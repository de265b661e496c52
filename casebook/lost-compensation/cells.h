/* Cells of a battery pack that warm up and cool down, in single precision. */
#ifndef CELLS_H
#define CELLS_H

/* What each cell warms in one step, without the neighbours' heat. */
void tendency(const float *temperature, float *change, float step, int cells);

/* Adds the changes; `carry` keeps for every cell what was too small for its temperature. */
void advance(float *temperature, float *carry, const float *change, int cells);

#endif
