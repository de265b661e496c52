/* Neighbours: every cell of the middle cube against every other. */
#include "neural.h"

#include <math.h>

#include "case.h"
#include "pointers.h"

static double **sample;
static int *sample_type;

/* Copies the cells of the middle cube, and returns their number. */
static int take_sample(const struct parameters *p, int cells)
{
    if (!sample) {
        sample = rows_new(p->cells, 3);
        sample_type = case_memory((size_t)p->cells, sizeof *sample_type);
    }
    double half = cbrt((double)p->sample / cells) / 2;
    int taken = 0;
    for (int c = 0; c < cells; c++) {
        if (fabs(place[c][0] - 0.5) < half && fabs(place[c][1] - 0.5) < half && fabs(place[c][2] - 0.5) < half) {
            for (int d = 0; d < 3; d++)
                sample[taken][d] = place[c][d];
            sample_type[taken] = type[c];
            taken++;
        }
    }
    return taken;
}

static double distance(const double *a, const double *b)
{
    double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    return sqrt(x * x + y * y + z * z);
}

double pairs_energy(const struct parameters *p, int cells)
{
    int n = take_sample(p, cells);
    double inside = 0, outside = 0, close = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double apart = distance(sample[i], sample[j]);
            if (apart < p->range) {
                close = close + 1;
                if (sample_type[i] * sample_type[j] > 0)
                    inside = inside + fmin(100, p->range / apart);
                else
                    outside = outside + fmin(100, p->range / apart);
            }
        }
    return (outside - inside) / (1 + 100 * close);
}

void pairs_count(const struct parameters *p, int cells, int64_t *same, int64_t *different)
{
    int n = take_sample(p, cells);
    *same = *different = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (distance(sample[i], sample[j]) < p->range) {
                if (sample_type[i] * sample_type[j] < 0)
                    ++*different;
                else
                    ++*same;
            }
}

int pairs_clustered(const struct parameters *p, int cells)
{
    int64_t same, different;
    pairs_count(p, cells, &same, &different);
    return (double)different / (double)(same + different + 1) < 0.1;
}
