/* Lid-driven cavity with the D2Q9 lattice Boltzmann method (BGK collision,
 * half-way bounce-back walls, moving lid). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NX 400
#define NY 400
#define Q 9
#define PX (NX + 2)
#define PLANE ((size_t)PX * (NY + 2))
#define AT(x, y) ((size_t)((y) + 1) * PX + (x) + 1)

static const int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const double weight[Q] = {4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

static double equilibrium(int q, double r, double u, double v)
{
    double cu = 3.0 * (cx[q] * u + cy[q] * v);
    return weight[q] * r * (1.0 + cu + 0.5 * cu * cu - 1.5 * (u * u + v * v));
}

/* One plane per direction with a border of ghost nodes.  f holds the
 * distributions after collision; the ghost node that a wall node will pull
 * from gets what the wall reflects. */
static void walls(double *f, double lid)
{
    for (int q = 1; q < Q; q++) {
        const double *out = f + q * PLANE;
        double *in = f + opposite[q] * PLANE;
        if (cy[q] != 0) {
            int y = cy[q] > 0 ? NY - 1 : 0;
            double momentum = cy[q] > 0 ? 6.0 * weight[q] * cx[q] * lid : 0.0;
            for (int x = 0; x < NX; x++)
                in[AT(x + cx[q], y + cy[q])] = out[AT(x, y)] - momentum;
        }
        if (cx[q] != 0) {
            int x = cx[q] > 0 ? NX - 1 : 0;
            for (int y = 0; y < NY; y++) {
                int ty = y + cy[q];
                if (ty >= 0 && ty < NY)
                    in[AT(x + cx[q], ty)] = out[AT(x, y)];
            }
        }
    }
}

#define RELAX(q, CU)                                                                     \
    do {                                                                                 \
        double cu = 3.0 * (CU);                                                          \
        double feq = weight[q] * r * (1.0 + cu + 0.5 * cu * cu - usq);                   \
        to[(q) * PLANE + at] = f##q + omega * (feq - f##q);                              \
    } while (0)

/* pull the neighbours' distributions, form the moments and collide in one pass */
static void step(const double *restrict from, double *restrict to, double omega)
{
    for (int y = 0; y < NY; y++) {
        for (int x = 0; x < NX; x++) {
            size_t at = AT(x, y);
            double f0 = from[at];
            double f1 = from[1 * PLANE + at - 1], f2 = from[2 * PLANE + at - PX];
            double f3 = from[3 * PLANE + at + 1], f4 = from[4 * PLANE + at + PX];
            double f5 = from[5 * PLANE + at - PX - 1], f6 = from[6 * PLANE + at - PX + 1];
            double f7 = from[7 * PLANE + at + PX + 1], f8 = from[8 * PLANE + at + PX - 1];
            double r = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
            double inverse = 1.0 / r;
            double u = (f1 - f3 + f5 - f6 - f7 + f8) * inverse;
            double v = (f2 - f4 + f5 + f6 - f7 - f8) * inverse;
            double usq = 1.5 * (u * u + v * v);
            RELAX(0, 0.0);
            RELAX(1, u);
            RELAX(2, v);
            RELAX(3, -u);
            RELAX(4, -v);
            RELAX(5, u + v);
            RELAX(6, v - u);
            RELAX(7, -u - v);
            RELAX(8, u - v);
        }
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 280;
    double lid = 0.1, omega = 1.6;
    double *a = calloc(Q * PLANE, sizeof *a), *b = calloc(Q * PLANE, sizeof *b);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++)
            for (int q = 0; q < Q; q++)
                a[q * PLANE + AT(x, y)] = equilibrium(q, 1.0, 0.02 * sin(0.05 * y), 0.02 * sin(0.03 * x));

    /* The passes are shifted by half a step: the initial equilibrium needs no
     * collision, and the last pass only streams. */
    for (int s = 0; s < steps; s++) {
        walls(a, lid);
        step(a, b, s + 1 < steps ? omega : 0.0);
        double *t = a;
        a = b;
        b = t;
    }
    double mass = 0, energy = 0;
    static double column[NY];
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            double r = 0, u = 0, v = 0;
            for (int q = 0; q < Q; q++) {
                double f = a[q * PLANE + AT(x, y)];
                r += f;
                u += cx[q] * f;
                v += cy[q] * f;
            }
            u /= r;
            v /= r;
            if (x == NX / 2)
                column[y] = u;
            mass += r;
            energy += 0.5 * r * (u * u + v * v);
        }
    printf("mass %.10f energy %.10f\n", mass, energy);
    for (int y = 49; y < NY; y += 50)
        printf("u(%d, %d) = %.9f\n", NX / 2, y, column[y]);
    free(a);
    free(b);
    return 0;
}
