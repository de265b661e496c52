/* Lid-driven cavity with the D2Q9 lattice Boltzmann method (BGK collision,
 * half-way bounce-back walls, moving lid). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NX 400
#define NY 400
#define Q 9

static const int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const double weight[Q] = {4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

typedef struct {
    double f[Q];
} node_t;

static node_t (*grid)[NX], (*streamed)[NX];
static double (*rho)[NX], (*ux)[NX], (*uy)[NX];

static double equilibrium(int q, double r, double u, double v)
{
    double cu = 3.0 * (cx[q] * u + cy[q] * v);
    return weight[q] * r * (1.0 + cu + 0.5 * cu * cu - 1.5 * (u * u + v * v));
}

static void moments(void)
{
    for (int y = 0; y < NY; y++) {
        for (int x = 0; x < NX; x++) {
            double r = 0, u = 0, v = 0;
            for (int q = 0; q < Q; q++) {
                r += grid[y][x].f[q];
                u += cx[q] * grid[y][x].f[q];
                v += cy[q] * grid[y][x].f[q];
            }
            rho[y][x] = r;
            ux[y][x] = u / r;
            uy[y][x] = v / r;
        }
    }
}

static void collide(double omega)
{
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++)
            for (int q = 0; q < Q; q++) {
                double feq = equilibrium(q, rho[y][x], ux[y][x], uy[y][x]);
                grid[y][x].f[q] += omega * (feq - grid[y][x].f[q]);
            }
}

static void stream(double lid)
{
    for (int y = 0; y < NY; y++) {
        for (int x = 0; x < NX; x++) {
            for (int q = 0; q < Q; q++) {
                int tx = x + cx[q], ty = y + cy[q];
                if (tx >= 0 && tx < NX && ty >= 0 && ty < NY) {
                    streamed[ty][tx].f[q] = grid[y][x].f[q];
                } else {
                    double momentum = ty == NY ? 6.0 * weight[q] * cx[q] * lid : 0.0;
                    streamed[y][x].f[opposite[q]] = grid[y][x].f[q] - momentum;
                }
            }
        }
    }
    memcpy(grid, streamed, sizeof(node_t) * NX * NY);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 280;
    double lid = 0.1, omega = 1.6;
    grid = malloc(sizeof(node_t) * NX * NY);
    streamed = malloc(sizeof(node_t) * NX * NY);
    rho = malloc(sizeof(double) * NX * NY);
    ux = malloc(sizeof(double) * NX * NY);
    uy = malloc(sizeof(double) * NX * NY);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++)
            for (int q = 0; q < Q; q++)
                grid[y][x].f[q] = equilibrium(q, 1.0, 0.02 * sin(0.05 * y), 0.02 * sin(0.03 * x));

    for (int s = 0; s < steps; s++) {
        moments();
        collide(omega);
        stream(lid);
    }
    moments();
    double mass = 0, energy = 0;
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            mass += rho[y][x];
            energy += 0.5 * rho[y][x] * (ux[y][x] * ux[y][x] + uy[y][x] * uy[y][x]);
        }
    printf("mass %.10f energy %.10f\n", mass, energy);
    for (int y = 49; y < NY; y += 50)
        printf("u(%d, %d) = %.9f\n", NX / 2, y, ux[y][NX / 2]);
    free(grid);
    free(streamed);
    free(rho);
    free(ux);
    free(uy);
    return 0;
}
