#include "case.h"
#include "lattice.h"

enum { MOST_VELOCITIES = 32 };

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
void get_equilibrium(double *restrict feq, const double *v, double rho)
{
    double modv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];

#pragma omp simd
    for (int i = 0; i < lbsy.nq; i++) {
        double uv = lbvx[i] * v[0] + lbvy[i] * v[1] + lbvz[i] * v[2];
        feq[i] = rho * lbw[i] * (1 + 3.0 * uv + 4.5 * uv * uv - 1.5 * modv);
    }
}

double get_density(const double *f)
{
    double rho = 0;
#pragma omp simd reduction(+ : rho)
    for (int i = 0; i < lbsy.nq; i++)
        rho += f[i];
    return rho;
}

void get_velocity(double *v, const double *f, double rho)
{
    double mx = 0, my = 0, mz = 0;
#pragma omp simd reduction(+ : mx, my, mz)
    for (int i = 0; i < lbsy.nq; i++) {
        mx += f[i] * lbvx[i];
        my += f[i] * lbvy[i];
        mz += f[i] * lbvz[i];
    }
    v[0] = mx / rho + 0.5 * lbsy.force;
    v[1] = my / rho;
    v[2] = mz / rho;
}

static void relax(double *restrict f, const double *feq, double rho)
{
    double omega = 1 / lbsy.tau;
    double strength = (1 - 0.5 * omega) * 3.0 * rho * lbsy.force;
#pragma omp simd
    for (int i = 0; i < lbsy.nq; i++)
        f[i] += omega * (feq[i] - f[i]) + strength * lbw[i] * lbvx[i];
}

void collide_row(int sites, double *f)
{
    for (int s = 0; s < sites; s++, f += lbsy.nq) {
        double feq[MOST_VELOCITIES], v[3];
        double rho = get_density(f);
        get_velocity(v, f, rho);
        get_equilibrium(feq, v, rho);
        relax(f, feq, rho);
    }
}
