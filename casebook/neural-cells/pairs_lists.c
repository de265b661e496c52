/* Neighbours by boxes: cells nearer than a box's edge are in the same box or in an adjacent one. */
#include "boxes.h"

/* Cell i against those from `from` to before `to`. */
static inline void compare(int i, int from, int to, double square_of_range, struct sums *sums)
{
    double x = sample_x[i], y = sample_y[i], z = sample_z[i], t = sample_type[i];
    for (int j = from; j < to; j++) {
        double dx = sample_x[j] - x, dy = sample_y[j] - y, dz = sample_z[j] - z;
        double square = dx * dx + dy * dy + dz * dz;
        if (square < square_of_range) {
            double alike = t * sample_type[j];
            sums->close += 1;
            sums->balance += alike;
            sums->energy -= alike * fmin(100, sqrt(square_of_range / square));
        }
    }
}

static struct sums search(const struct parameters *p, int cells)
{
    int boxes = take_sample(p, cells);
    double most = p->range * p->range;
    struct sums sums = {0, 0, 0};
    for (int b = 0; b < boxes; b++) {
        int x = b / (edge * edge), y = b / edge % edge, z = b % edge;
        int down = z > 0 ? 1 : 0, up = z + 1 < edge ? 1 : 0;
        for (int i = first[b]; i < first[b + 1]; i++) {
            /* Each pair once: the rest of this box and the next one, then the rows of boxes that come later. */
            compare(i, i + 1, first[b + up + 1], most, &sums);
            for (int row = 1; row <= 4; row++) {
                int other_x = x + (row > 1), other_y = row == 1 ? y + 1 : y + row - 3;
                if (other_x >= edge || other_y < 0 || other_y >= edge)
                    continue;
                int other = (other_x * edge + other_y) * edge + z;
                compare(i, first[other - down], first[other + up + 1], most, &sums);
            }
        }
    }
    return sums;
}
