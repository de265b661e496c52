/* Flow between two plates, driven by a body force. The plates are half a spacing outside the first and the last layer of
 * fluid (bounce-back); x and y are periodic. The steady solution is a parabola. */
#include <math.h>

#include "case.h"
#include "lattice.h"

enum { VELOCITIES = 19 };

lattice lbsy;
static int direction[VELOCITIES][3], opposite[VELOCITIES];
static double *now, *next; /* [site][values] */
static size_t values;

/* All velocities of length 0, 1 and sqrt(2): 1 + 6 + 12. */
static void define_d3q19(void)
{
    static const double weight_of_length[] = {1.0 / 3.0, 1.0 / 18.0, 1.0 / 36.0};
    values = (size_t)make_tables(VELOCITIES);
    lbsy.nq = 0;
    for (int length = 0; length <= 2; length++)
        for (int z = -1; z <= 1; z++)
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++)
                    if (x * x + y * y + z * z == length) {
                        direction[lbsy.nq][0] = x;
                        direction[lbsy.nq][1] = y;
                        direction[lbsy.nq][2] = z;
                        set_velocity(lbsy.nq++, x, y, z, weight_of_length[length]);
                    }
    for (int i = 0; i < VELOCITIES; i++)
        for (int j = 0; j < VELOCITIES; j++)
            if (direction[i][0] == -direction[j][0] && direction[i][1] == -direction[j][1]
                && direction[i][2] == -direction[j][2])
                opposite[i] = j;
}

static int wrapped(int at, int size)
{
    return at < 0 ? at + size : at >= size ? at - size : at;
}

static double *site(double *field, int x, int y, int z)
{
    return field + (((size_t)z * (size_t)lbsy.ny + (size_t)y) * (size_t)lbsy.nx + (size_t)x) * values;
}

/* Moves each distribution one site along its velocity, a row of sites and a velocity at a time; at a plate it returns
 * in the opposite direction. */
static void stream(void)
{
    for (int z = 1; z <= lbsy.nz; z++)
        for (int y = 0; y < lbsy.ny; y++)
            for (int i = 0; i < VELOCITIES; i++) {
                const double *from = site(now, 0, y, z) + i;
                int to_z = z + direction[i][2];
                if (to_z < 1 || to_z > lbsy.nz) {
                    double *back = site(next, 0, y, z) + opposite[i];
                    for (int x = 0; x < lbsy.nx; x++)
                        back[(size_t)x * values] = from[(size_t)x * values];
                    continue;
                }
                double *to = site(next, 0, wrapped(y + direction[i][1], lbsy.ny), to_z) + i;
                for (int x = 0; x < lbsy.nx; x++)
                    to[(size_t)wrapped(x + direction[i][0], lbsy.nx) * values] = from[(size_t)x * values];
            }
    double *swap = now;
    now = next;
    next = swap;
}

/* The velocity along x that the plates allow at layer z. */
static double exact_velocity(int z)
{
    double nu = (lbsy.tau - 0.5) / 3.0, from_wall = z - 0.5;
    return lbsy.force / (2 * nu) * from_wall * (lbsy.nz - from_wall);
}

int main(int argc, char **argv)
{
    lbsy.nx = (int)case_option(argc, argv, "--nx", 8);
    lbsy.ny = (int)case_option(argc, argv, "--ny", 8);
    lbsy.nz = (int)case_option(argc, argv, "--nz", 7);
    int steps = (int)case_option(argc, argv, "--steps", 1);
    lbsy.tau = 0.9;
    lbsy.force = 8 * ((lbsy.tau - 0.5) / 3) * 0.05 / ((double)lbsy.nz * lbsy.nz);
    define_d3q19();
    size_t sites = (size_t)lbsy.nx * (size_t)lbsy.ny * (size_t)(lbsy.nz + 2);
    now = case_memory(sites * values, sizeof *now);
    next = case_memory(sites * values, sizeof *next);
    const double rest[3] = {0, 0, 0};
    for (size_t s = 0; s < sites; s++)
        get_equilibrium(now + s * values, rest, 1);

    double start = case_seconds();
    for (int step = 0; step < steps; step++) {
        for (int z = 1; z <= lbsy.nz; z++)
            for (int y = 0; y < lbsy.ny; y++)
                collide_row(lbsy.nx, site(now, 0, y, z));
        stream();
    }
    double seconds = case_seconds() - start;

    double error = 0, flow = 0, mass = 0;
    for (int z = 1; z <= lbsy.nz; z++)
        for (int y = 0; y < lbsy.ny; y++)
            for (int x = 0; x < lbsy.nx; x++) {
                const double *f = site(now, x, y, z);
                double v[3], rho = get_density(f);
                get_velocity(v, f, rho);
                mass += rho;
                flow += v[0];
                error = fmax(error, fabs(v[0] - exact_velocity(z)));
            }
    double updates = (double)lbsy.nx * lbsy.ny * lbsy.nz * steps;
    case_print("seconds", seconds);
    /* For each velocity: density 1, momentum 6, equilibrium 13, relaxation 6. */
    case_print("flop", 26.0 * VELOCITIES * updates);
    case_print("bytes", 4.0 * 8.0 * VELOCITIES * updates);
    case_print("working_set", 2.0 * 8.0 * VELOCITIES * (double)sites);
    case_print("error", error / exact_velocity((lbsy.nz + 1) / 2));
    case_print("flow", flow);
    case_print("mass", mass);
    return 0;
}
