/* The same pairs in blocks of both loops, twice: blocks for L2, and in them blocks for L1. */
#include "wall.h"

enum { BLOCK2 = 8 * 1024, BLOCK1 = 1024 };

static int end_of(int begin, int block, int end)
{
    return end - begin < block ? end : begin + block;
}

static void block(const double (*centre)[3], int c1, int c1_end, const struct face *wall, int f1, int f1_end, double *square, int *nearest)
{
    for (int f = f1; f < f1_end; f++) {
        for (int c = c1; c < c1_end; c++) {
            double dx = centre[c][0] - wall[f].at[0];
            double dy = centre[c][1] - wall[f].at[1];
            double dz = centre[c][2] - wall[f].at[2];
            double front = wall[f].normal[0] * dx + wall[f].normal[1] * dy + wall[f].normal[2] * dz;
            if (front > 0) {
                double s = dx * dx + dy * dy + dz * dz;
                if (s < square[c]) {
                    square[c] = s;
                    nearest[c] = f;
                }
            }
        }
    }
}

void wall_distance(const double (*centre)[3], int cells, const struct face *wall, int faces, double *square, int *nearest)
{
    for (int f2 = 0; f2 < faces; f2 += BLOCK2)
        for (int c2 = 0; c2 < cells; c2 += BLOCK2)
            for (int f1 = f2; f1 < end_of(f2, BLOCK2, faces); f1 += BLOCK1)
                for (int c1 = c2; c1 < end_of(c2, BLOCK2, cells); c1 += BLOCK1)
                    block(centre, c1, end_of(c1, BLOCK1, end_of(c2, BLOCK2, cells)), wall, f1,
                          end_of(f1, BLOCK1, end_of(f2, BLOCK2, faces)), square, nearest);
}
