/* The test that rarely holds comes first, then the one that holds half of the time. */
#include "pack.h"

static void pairs(struct packed cell, int c1, int c1_end, const struct face *wall, int f1, int f1_end,
                  double *square, int *nearest)
{
    double dx[BLOCK1], dy[BLOCK1], dz[BLOCK1], s[BLOCK1];
    for (int f = f1; f < f1_end; f++) {
        struct face face = wall[f];
        for (int c = c1; c < c1_end; c++) {
            int i = c - c1;
            dx[i] = cell.x[c] - face.at[0];
            dy[i] = cell.y[c] - face.at[1];
            dz[i] = cell.z[c] - face.at[2];
            s[i] = dx[i] * dx[i] + dy[i] * dy[i] + dz[i] * dz[i];
        }
        for (int c = c1; c < c1_end; c++) {
            int i = c - c1;
            if (s[i] < square[c] && face.normal[0] * dx[i] + face.normal[1] * dy[i] + face.normal[2] * dz[i] > 0) {
                square[c] = s[i];
                nearest[c] = f;
            }
        }
    }
}
