#include "case.h"
#include "lattice.h"

/* The velocities' components, each in a separate array. */
static int *lbvx, *lbvy, *lbvz;
static double *lbw;

int make_tables(int velocities)
{
    const size_t room = (size_t)velocities;
    lbvx = case_memory(room, sizeof *lbvx);
    lbvy = case_memory(room, sizeof *lbvy);
    lbvz = case_memory(room, sizeof *lbvz);
    lbw = case_memory(room, sizeof *lbw);
    return velocities;
}

void set_velocity(int i, int x, int y, int z, double weight)
{
    lbvx[i] = x;
    lbvy[i] = y;
    lbvz[i] = z;
    lbw[i] = weight;
}

/* Each vector of components is one load; still nineteen iterations. */
static inline void get_equilibrium(double *restrict feq, const double *v, double rho)
{
    double modv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];

#pragma omp simd
    for (int i = 0; i < lbsy.nq; i++) {
        double uv = lbvx[i] * v[0] + lbvy[i] * v[1] + lbvz[i] * v[2];
        feq[i] = rho * lbw[i] * (1 + 3.0 * uv + 4.5 * uv * uv - 1.5 * modv);
    }
}

void get_equilibria(int sites, const double *v, const double *rho, double *feq)
{
    for (int s = 0; s < sites; s++)
        get_equilibrium(feq + s * lbsy.nq, v + s * 3, rho[s]);
}
