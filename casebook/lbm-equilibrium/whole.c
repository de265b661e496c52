#include "case.h"
#include "lattice.h"

enum { PADDED = 24 };

/* The velocities' components, each in a separate array. */
static int *lbvx, *lbvy, *lbvz;
static double *lbw;

int make_tables(int velocities)
{
    (void)velocities;
    const size_t room = PADDED;
    lbvx = case_memory(room, sizeof *lbvx);
    lbvy = case_memory(room, sizeof *lbvy);
    lbvz = case_memory(room, sizeof *lbvz);
    lbw = case_memory(room, sizeof *lbw);
    return PADDED;
}

void set_velocity(int i, int x, int y, int z, double weight)
{
    lbvx[i] = x;
    lbvy[i] = y;
    lbvz[i] = z;
    lbw[i] = weight;
}

/* Twenty-four iterations: three vectors of eight. */
static inline void get_equilibrium(double *restrict feq, const double *v, double rho)
{
    double modv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];

#pragma omp simd
    for (int i = 0; i < PADDED; i++) {
        double uv = lbvx[i] * v[0] + lbvy[i] * v[1] + lbvz[i] * v[2];
        feq[i] = rho * lbw[i] * (1 + 3.0 * uv + 4.5 * uv * uv - 1.5 * modv);
    }
}

void get_equilibria(int sites, const double *v, const double *rho, double *feq)
{
    for (int s = 0; s < sites; s++)
        get_equilibrium(feq + s * PADDED, v + s * 3, rho[s]);
}
