/* Every cell with every face. A pass over the cells streams all of them through the caches, once per face. */
#include "wall.h"

void wall_distance(const double (*centre)[3], int cells, const struct face *wall, int faces, double *square, int *nearest)
{
    for (int f = 0; f < faces; f++) {
        for (int c = 0; c < cells; c++) {
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
