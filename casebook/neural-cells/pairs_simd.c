/* Neighbours: every cell of the middle cube against every other, a vector of them at a time. */
#include "neural.h"

#include <math.h>

#include "case.h"
#include "flat.h"

/* One array per coordinate: neighbours in memory are neighbours in a vector. */
static double *sample_x, *sample_y, *sample_z, *sample_type;

static int take_sample(const struct parameters *p, int cells)
{
    if (!sample_x) {
        sample_x = case_memory((size_t)p->cells, sizeof *sample_x);
        sample_y = case_memory((size_t)p->cells, sizeof *sample_y);
        sample_z = case_memory((size_t)p->cells, sizeof *sample_z);
        sample_type = case_memory((size_t)p->cells, sizeof *sample_type);
    }
    double half = cbrt((double)p->sample / cells) / 2;
    int taken = 0;
    for (int c = 0; c < cells; c++) {
        const double *at = place + 3 * c;
        if (fabs(at[0] - 0.5) < half && fabs(at[1] - 0.5) < half && fabs(at[2] - 0.5) < half) {
            sample_x[taken] = at[0];
            sample_y[taken] = at[1];
            sample_z[taken] = at[2];
            sample_type[taken] = type[c];
            taken++;
        }
    }
    return taken;
}

double pairs_energy(const struct parameters *p, int cells)
{
    int n = take_sample(p, cells);
    double least = p->range * p->range / 1e4, most = p->range * p->range;
    double energy = 0, close = 0;
    for (int i = 0; i < n; i++) {
        double x = sample_x[i], y = sample_y[i], z = sample_z[i], t = sample_type[i];
        #pragma omp simd reduction(+ : energy, close)
        for (int j = i + 1; j < n; j++) {
            double dx = sample_x[j] - x, dy = sample_y[j] - y, dz = sample_z[j] - z;
            double square = dx * dx + dy * dy + dz * dz;
            /* Range over distance, at most 100. */
            double near = sqrt(most / (square > least ? square : least));
            close += square < most ? 1 : 0;
            energy -= square < most ? t * sample_type[j] * near : 0;
        }
    }
    return energy / (1 + 100 * close);
}

void pairs_count(const struct parameters *p, int cells, int64_t *same, int64_t *different)
{
    int n = take_sample(p, cells);
    double most = p->range * p->range;
    double close = 0, balance = 0;
    for (int i = 0; i < n; i++) {
        double x = sample_x[i], y = sample_y[i], z = sample_z[i], t = sample_type[i];
        #pragma omp simd reduction(+ : close, balance)
        for (int j = i + 1; j < n; j++) {
            double dx = sample_x[j] - x, dy = sample_y[j] - y, dz = sample_z[j] - z;
            int inside = dx * dx + dy * dy + dz * dz < most;
            close += inside ? 1 : 0;
            balance += inside ? t * sample_type[j] : 0;
        }
    }
    *same = (int64_t)((close + balance) / 2);
    *different = (int64_t)((close - balance) / 2);
}

int pairs_clustered(const struct parameters *p, int cells)
{
    int64_t same, different;
    pairs_count(p, cells, &same, &different);
    return (double)different / (double)(same + different + 1) < 0.1;
}
