/* Shared by all flat grids: two substances in one array, and the index of a voxel in it.
 * Each program includes it once, in its grid_*.c. */
#ifndef VOXELS_H
#define VOXELS_H

#include <math.h>

#include "case.h"
#include "flat.h"
#include "neural.h"

static double *substance, *before;
static int side;

/* Number of a voxel in an array of n^3 voxels per substance. */
static inline size_t at(int n, int s, int x, int y, int z)
{
    return (((size_t)s * (size_t)n + (size_t)x) * (size_t)n + (size_t)y) * (size_t)n + (size_t)z;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

double grid_total(int s)
{
    double sum = 0;
    for (int x = 0; x < side; x++)
        for (int y = 0; y < side; y++)
            for (int z = 0; z < side; z++)
                sum += substance[at(side, s, x, y, z)];
    return sum;
}

#endif
