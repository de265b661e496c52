#include "case.h"
#include "lattice.h"

/* One after the other: lbv[i*3] is x, lbv[i*3+1] is y, lbv[i*3+2] is z of velocity i. */
static int *lbv;
static double *lbw;

int make_tables(int velocities)
{
    const size_t room = (size_t)velocities;
    lbv = case_memory(3 * room, sizeof *lbv);
    lbw = case_memory(room, sizeof *lbw);
    return velocities;
}

void set_velocity(int i, int x, int y, int z, double weight)
{
    lbv[i * 3] = x;
    lbv[i * 3 + 1] = y;
    lbv[i * 3 + 2] = z;
    lbw[i] = weight;
}

/* No iteration depends on another, and no store changes a loaded value: vectors, and remainder iterations. */
static inline void get_equilibrium(double *restrict feq, const double *v, double rho)
{
    double modv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];

#pragma omp simd
    for (int i = 0; i < lbsy.nq; i++) {
        double uv = lbv[i * 3] * v[0] + lbv[i * 3 + 1] * v[1] + lbv[i * 3 + 2] * v[2];
        feq[i] = rho * lbw[i] * (1 + 3.0 * uv + 4.5 * uv * uv - 1.5 * modv);
    }
}

void get_equilibria(int sites, const double *v, const double *rho, double *feq)
{
    for (int s = 0; s < sites; s++)
        get_equilibrium(feq + s * lbsy.nq, v + s * 3, rho[s]);
}
