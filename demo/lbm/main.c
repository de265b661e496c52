// Flow between two plates, driven by a body force: a lattice-Boltzmann solver and its check.
//
// The plates are below z = 1 and above z = nz, half a spacing outside the first and the last layer of fluid
// (bounce-back); x and y are periodic. The steady solution is a parabola, which is compared at the end; the exit
// status is 1 when the error is above the tolerance.
//
// Usage: lbm [--size NX NY NZ] [--steps N] [--tau T]

#include "lattice.h"
#include "site.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 0.01; // of the largest velocity

static void collide(void) {
    for (int z = 1; z <= lbsy.nz; z++)
        for (int y = 0; y < lbsy.ny; y++)
            for (int x = 0; x < lbsy.nx; x++) collide_site(lbf + site_index(x, y, z) * (size_t)lbsy.nq);
}

static int wrapped(int at, int size) { return at < 0 ? at + size : at >= size ? at - size : at; }

// Moves each distribution one site along its velocity, one row of sites and one velocity at a time; at a wall it
// returns in the opposite direction.
static void stream(void) {
    size_t nq = (size_t)lbsy.nq;
    for (int z = 1; z <= lbsy.nz; z++)
        for (int y = 0; y < lbsy.ny; y++)
            for (int i = 0; i < lbsy.nq; i++) {
                const double *from = lbf + site_index(0, y, z) * nq + (size_t)i;
                int to_z = z + lbv[i * 3 + 2];
                if (to_z < 1 || to_z > lbsy.nz) {
                    double *back = lbft + site_index(0, y, z) * nq + (size_t)lbopposite[i];
                    for (int x = 0; x < lbsy.nx; x++) back[(size_t)x * nq] = from[(size_t)x * nq];
                    continue;
                }
                double *to = lbft + site_index(0, wrapped(y + lbv[i * 3 + 1], lbsy.ny), to_z) * nq + (size_t)i;
                int shift = lbv[i * 3];
                for (int x = 0; x < lbsy.nx; x++) to[(size_t)wrapped(x + shift, lbsy.nx) * nq] = from[(size_t)x * nq];
            }
    double *swap = lbf;
    lbf = lbft;
    lbft = swap;
}

// The velocity along x that the plates allow at layer z: F / (2 nu) * (distance to one) * (distance to the other).
static double exact_velocity(int z) {
    double nu = (lbsy.tau - 0.5) / 3.0;
    double from_wall = z - 0.5;
    return lbsy.force / (2 * nu) * from_wall * (lbsy.nz - from_wall);
}

// Everything starts at rest.
static void start_flow(void) {
    for (int z = 1; z <= lbsy.nz; z++)
        for (int y = 0; y < lbsy.ny; y++)
            for (int x = 0; x < lbsy.nx; x++) {
                double v[3] = {0, 0, 0};
                get_equilibrium(lbf + site_index(x, y, z) * (size_t)lbsy.nq, v, 1.0);
            }
}

// Largest difference to the parabola over all sites, relative to the largest velocity.
static double profile_error(void) {
    double worst = 0, largest = exact_velocity((lbsy.nz + 1) / 2);
    for (int z = 1; z <= lbsy.nz; z++)
        for (int y = 0; y < lbsy.ny; y++)
            for (int x = 0; x < lbsy.nx; x++) {
                const double *f = lbf + site_index(x, y, z) * (size_t)lbsy.nq;
                double v[3];
                get_velocity(v, f, get_density(f));
                worst = fmax(worst, fabs(v[0] - exact_velocity(z)));
                worst = fmax(worst, fmax(fabs(v[1]), fabs(v[2])));
            }
    return worst / largest;
}

static void print_profile(void) {
    printf("  z     velocity     parabola\n");
    for (int z = 1; z <= lbsy.nz; z++) {
        const double *f = lbf + site_index(0, 0, z) * (size_t)lbsy.nq;
        double v[3];
        get_velocity(v, f, get_density(f));
        printf("%3d  %.9f  %.9f\n", z, v[0], exact_velocity(z));
    }
}

static int usage(const char *name) {
    fprintf(stderr, "usage: %s [--size NX NY NZ] [--steps N] [--tau T]\n", name);
    return 2;
}

int main(int argc, char **argv) {
    int steps = 12000;
    define_d3q19();
    lbsy.nx = lbsy.ny = 16;
    lbsy.nz = 15;
    lbsy.tau = 0.9;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--size") && i + 3 < argc) {
            lbsy.nx = atoi(argv[++i]);
            lbsy.ny = atoi(argv[++i]);
            lbsy.nz = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "--steps") && i + 1 < argc) {
            steps = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "--tau") && i + 1 < argc) {
            lbsy.tau = atof(argv[++i]);
        } else {
            return usage(argv[0]);
        }
    }
    if (lbsy.nx < 2 || lbsy.ny < 2 || lbsy.nz < 3 || lbsy.nx > 1024 || lbsy.ny > 1024 || lbsy.nz > 1024 ||
        steps < 1 || !(lbsy.tau > 0.5 && lbsy.tau < 2))
        return usage(argv[0]);
    // A tenth of the speed of sound at most, far from the limit of the method.
    lbsy.force = 8 * ((lbsy.tau - 0.5) / 3) * 0.05 / ((double)lbsy.nz * lbsy.nz);

    size_t values = site_count() * (size_t)lbsy.nq;
    lbf = calloc(values, sizeof *lbf);
    lbft = calloc(values, sizeof *lbft);
    if (!lbf || !lbft) {
        fprintf(stderr, "no memory for %zu values; choose a smaller --size\n", 2 * values);
        return 1;
    }
    printf("D3Q19, %d x %d x %d sites, %d steps, tau %.3f\n", lbsy.nx, lbsy.ny, lbsy.nz, steps, lbsy.tau);
    start_flow();
    double error_at_start = profile_error();
    for (int step = 0; step < steps; step++) {
        collide();
        stream();
    }
    double error = profile_error();
    print_profile();
    printf("largest error %.5f of the largest velocity (%.5f at the start); tolerance %.5f: %s\n", error,
           error_at_start, TOLERANCE, error <= TOLERANCE ? "ok" : "FAILED");
    free(lbf);
    free(lbft);
    return error <= TOLERANCE ? 0 : 1;
}
