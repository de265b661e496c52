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

/* Elements that are tested at once: few enough that most blocks hold no neighbour, enough to fill vectors. */
enum { BLOCK = 32 };

/* How many of the cells from `from` to before `to` are near a place. */
static inline int near(double x, double y, double z, int from, int to, double square_of_range)
{
    int found = 0;
    #pragma omp simd reduction(+ : found)
    for (int j = from; j < to; j++) {
        double dx = sample_x[j] - x, dy = sample_y[j] - y, dz = sample_z[j] - z;
        found += dx * dx + dy * dy + dz * dz < square_of_range;
    }
    return found;
}

double pairs_energy(const struct parameters *p, int cells)
{
    int n = take_sample(p, cells);
    double square_of_range = p->range * p->range;
    double inside = 0, outside = 0, close = 0;
    for (int i = 0; i < n; i++) {
        double x = sample_x[i], y = sample_y[i], z = sample_z[i];
        for (int from = i + 1; from < n; from += BLOCK) {
            int to = from + BLOCK < n ? from + BLOCK : n;
            int left = near(x, y, z, from, to, square_of_range);
            for (int j = from; left > 0 && j < to; j++) {
                double dx = sample_x[j] - x, dy = sample_y[j] - y, dz = sample_z[j] - z;
                double square = dx * dx + dy * dy + dz * dz;
                if (square < square_of_range) {
                    double energy = fmin(100, sqrt(square_of_range / square));
                    close++;
                    if (sample_type[i] * sample_type[j] > 0)
                        inside += energy;
                    else
                        outside += energy;
                    left--;
                }
            }
        }
    }
    return (outside - inside) / (1 + 100 * close);
}

void pairs_count(const struct parameters *p, int cells, int64_t *same, int64_t *different)
{
    int n = take_sample(p, cells);
    double square_of_range = p->range * p->range;
    int64_t alike = 0, close = 0;
    for (int i = 0; i < n; i++) {
        double x = sample_x[i], y = sample_y[i], z = sample_z[i], t = sample_type[i];
        #pragma omp simd reduction(+ : alike, close)
        for (int j = i + 1; j < n; j++) {
            double dx = sample_x[j] - x, dy = sample_y[j] - y, dz = sample_z[j] - z;
            int64_t inside = dx * dx + dy * dy + dz * dz < square_of_range;
            close += inside;
            alike += inside & (t == sample_type[j]);
        }
    }
    *same = alike;
    *different = close - alike;
}

int pairs_clustered(const struct parameters *p, int cells)
{
    int64_t same, different;
    pairs_count(p, cells, &same, &different);
    return (double)different / (double)(same + different + 1) < 0.1;
}
