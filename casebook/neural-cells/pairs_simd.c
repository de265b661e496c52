/* Neighbours by boxes: who is nearer than the edge of a box lies in the same box or in one beside it. The cells of three
 * boxes in a row are compared a vector at a time. */
#include "neural.h"

#include <math.h>

#include "case.h"
#include "flat.h"

/* The cells of the middle cube, box by box; boxes count along z first, so that three in a row are one piece. */
static double *sample_x, *sample_y, *sample_z, *sample_type;
static int *box_of, *chosen, *first; /* first[b] to first[b + 1]: the cells of box b */
static int edge;                     /* boxes along an edge of the middle cube */

static int along(double place, double half)
{
    int box = (int)((place - (0.5 - half)) / (2 * half) * edge);
    return box < 0 ? 0 : box < edge ? box : edge - 1;
}

static int take_sample(const struct parameters *p, int cells)
{
    double half = cbrt((double)p->sample / cells) / 2;
    if (!sample_x) {
        sample_x = case_memory((size_t)p->cells, sizeof *sample_x);
        sample_y = case_memory((size_t)p->cells, sizeof *sample_y);
        sample_z = case_memory((size_t)p->cells, sizeof *sample_z);
        sample_type = case_memory((size_t)p->cells, sizeof *sample_type);
        box_of = case_memory((size_t)p->cells, sizeof *box_of);
        chosen = case_memory((size_t)p->cells, sizeof *chosen);
    }
    /* As small as the range allows, but not many more boxes than cells. */
    int most = (int)cbrt(p->cells) + 1, fit = (int)(2 * half / p->range);
    int wanted = fit < 1 ? 1 : fit < most ? fit : most;
    if (wanted != edge) {
        free(first);
        edge = wanted;
        first = case_memory((size_t)edge * (size_t)edge * (size_t)edge + 2, sizeof *first);
    }
    int boxes = edge * edge * edge, taken = 0;
    memset(first, 0, ((size_t)boxes + 2) * sizeof *first);
    for (int c = 0; c < cells; c++) {
        const double *at = place + 3 * c;
        if (fabs(at[0] - 0.5) < half && fabs(at[1] - 0.5) < half && fabs(at[2] - 0.5) < half) {
            int box = (along(at[0], half) * edge + along(at[1], half)) * edge + along(at[2], half);
            box_of[taken] = box;
            chosen[taken++] = c;
            first[box + 2]++;
        }
    }
    /* A counting sort: afterwards first[b + 1] is where box b begins, until its cells have been put there. */
    for (int b = 2; b <= boxes; b++)
        first[b] += first[b - 1];
    for (int k = 0; k < taken; k++) {
        const double *at = place + 3 * chosen[k];
        int to = first[box_of[k] + 1]++;
        sample_x[to] = at[0];
        sample_y[to] = at[1];
        sample_z[to] = at[2];
        sample_type[to] = type[chosen[k]];
    }
    return boxes;
}

struct sums {
    double energy, close, balance;
};

/* Cell i against those from `from` to before `to`. */
static inline void compare(int i, int from, int to, double most, struct sums *sums)
{
    double least = most / 1e4, energy = 0, close = 0, balance = 0;
    double x = sample_x[i], y = sample_y[i], z = sample_z[i], t = sample_type[i];
    #pragma omp simd reduction(+ : energy, close, balance)
    for (int j = from; j < to; j++) {
        double dx = sample_x[j] - x, dy = sample_y[j] - y, dz = sample_z[j] - z;
        double square = dx * dx + dy * dy + dz * dz;
        double alike = square < most ? t * sample_type[j] : 0;
        close += square < most ? 1 : 0;
        balance += alike;
        energy -= alike * sqrt(most / (square > least ? square : least));
    }
    sums->energy += energy;
    sums->close += close;
    sums->balance += balance;
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

double pairs_energy(const struct parameters *p, int cells)
{
    struct sums sums = search(p, cells);
    return sums.energy / (1 + 100 * sums.close);
}

void pairs_count(const struct parameters *p, int cells, int64_t *same, int64_t *different)
{
    struct sums sums = search(p, cells);
    *same = (int64_t)((sums.close + sums.balance) / 2);
    *different = (int64_t)((sums.close - sums.balance) / 2);
}

int pairs_clustered(const struct parameters *p, int cells)
{
    int64_t same, different;
    pairs_count(p, cells, &same, &different);
    return (double)different / (double)(same + different + 1) < 0.1;
}
