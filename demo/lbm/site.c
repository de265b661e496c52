// Computations at one site: moments, equilibrium, collision.
//
// Single relaxation time (BGK). The body force enters as in Z. Guo, C. Zheng, B. Shi, Discrete lattice effects on
// the forcing term in the lattice Boltzmann method, Physical Review E 65 (2002) 046308, to first order in the
// velocity, which is enough for a constant force along a steady flow.

#include "site.h"
#include "lattice.h"

int get_equilibrium(double *feq, const double *v, double rho) {
    double modv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double uv;

    for (int i = 0; i < lbsy.nq; i++) {
        uv = lbv[i * 3] * v[0]
           + lbv[i * 3 + 1] * v[1]
           + lbv[i * 3 + 2] * v[2];
        feq[i] = rho * lbw[i] * (1 + 3.0 * uv + 4.5 * uv * uv - 1.5 * modv);
    }
    return 0;
}

double get_density(const double *f) {
    double rho = 0;
    for (int i = 0; i < lbsy.nq; i++) rho += f[i];
    return rho;
}

int get_velocity(double *v, const double *f, double rho) {
    double mx = 0, my = 0, mz = 0;
    for (int i = 0; i < lbsy.nq; i++) {
        mx += f[i] * lbv[i * 3];
        my += f[i] * lbv[i * 3 + 1];
        mz += f[i] * lbv[i * 3 + 2];
    }
    v[0] = mx / rho + 0.5 * lbsy.force;
    v[1] = my / rho;
    v[2] = mz / rho;
    return 0;
}

void collide_site(double *f) {
    double feq[MAX_VELOCITIES], v[3];
    double rho = get_density(f);
    get_velocity(v, f, rho);
    get_equilibrium(feq, v, rho);

    double omega = 1 / lbsy.tau;
    double strength = (1 - 0.5 * omega) * 3.0 * rho * lbsy.force;
    for (int i = 0; i < lbsy.nq; i++) f[i] += omega * (feq[i] - f[i]) + strength * lbw[i] * lbv[i * 3];
}
