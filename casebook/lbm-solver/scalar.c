#include "case.h"
#include "lattice.h"

enum { MOST_VELOCITIES = 32 };

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

/* As first written: nineteen iterations, and pointers that might overlap. */
void get_equilibrium(double *feq, const double *v, double rho)
{
    double modv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];

    for (int i = 0; i < lbsy.nq; i++) {
        double uv = lbv[i * 3] * v[0] + lbv[i * 3 + 1] * v[1] + lbv[i * 3 + 2] * v[2];
        feq[i] = rho * lbw[i] * (1 + 3.0 * uv + 4.5 * uv * uv - 1.5 * modv);
    }
}

double get_density(const double *f)
{
    double rho = 0;
    for (int i = 0; i < lbsy.nq; i++)
        rho += f[i];
    return rho;
}

void get_velocity(double *v, const double *f, double rho)
{
    double mx = 0, my = 0, mz = 0;
    for (int i = 0; i < lbsy.nq; i++) {
        mx += f[i] * lbv[i * 3];
        my += f[i] * lbv[i * 3 + 1];
        mz += f[i] * lbv[i * 3 + 2];
    }
    v[0] = mx / rho + 0.5 * lbsy.force;
    v[1] = my / rho;
    v[2] = mz / rho;
}

static void relax(double *f, const double *feq, double rho)
{
    double omega = 1 / lbsy.tau;
    double strength = (1 - 0.5 * omega) * 3.0 * rho * lbsy.force;
    for (int i = 0; i < lbsy.nq; i++)
        f[i] += omega * (feq[i] - f[i]) + strength * lbw[i] * lbv[i * 3];
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
