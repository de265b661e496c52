/* Shared by searches with boxes: the cells of the middle cube sorted into boxes, and the results from the sums over pairs.
 * Each program includes it once, in its pairs_*.c, so that the compiler sees both as one unit. */
#ifndef BOXES_H
#define BOXES_H

#include <math.h>

#include "case.h"
#include "flat.h"
#include "neural.h"

/* The cells of the middle cube, box by box; box numbers grow along z first, so that three in a row are contiguous. */
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

/* Defined by each stage: sums over all pairs that are nearer than the range. */
static struct sums search(const struct parameters *p, int cells);

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

#endif
