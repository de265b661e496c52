/* Test particles in a frozen field of plasma turbulence: linear gather of the
 * field from a periodic grid, Boris rotation, and deposition of the charge
 * density that the diagnostics need after every step. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1536
#define NPART 500000

typedef struct {
    double x, y, vx, vy, w;
} particle_t;

static double *ex, *ey, *density;
static particle_t *part;
static uint64_t state = 1234567;

static double uniform(void)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) / 9007199254740992.0;
}

static void make_field(void)
{
    static double sx[N], cx[N];
    for (int m = 1; m <= 6; m++) {
        double kx = 2 * M_PI * (int)(1 + 50 * uniform()) / N, ky = 2 * M_PI * (int)(1 + 70 * uniform()) / N;
        double phase = 2 * M_PI * uniform(), amp = 0.3 / m;
        for (int i = 0; i < N; i++) {
            sx[i] = sin(kx * i + phase);
            cx[i] = cos(kx * i + phase);
        }
        for (int j = 0; j < N; j++) {
            double sy = amp * sin(ky * j), cy = amp * cos(ky * j);
            for (int i = 0; i < N; i++) {
                ex[(size_t)j * N + i] += cx[i] * cy - sx[i] * sy;
                ey[(size_t)j * N + i] += (cx[i] * cy - sx[i] * sy) * ky / kx;
            }
        }
    }
}

static double wrap(double x)
{
    if (x < 0)
        x += N;
    if (x >= N)
        x -= N;
    return x;
}

static void push(double dt, double b)
{
    double t = 0.5 * dt * b, s = 2 * t / (1 + t * t);
    for (int p = 0; p < NPART; p++) {
        particle_t *q = &part[p];
        int i = (int)q->x, j = (int)q->y;
        double fx = q->x - i, fy = q->y - j;
        int i1 = i + 1 < N ? i + 1 : 0, j1 = j + 1 < N ? j + 1 : 0;
        size_t a = (size_t)j * N, c = (size_t)j1 * N;
        double w00 = (1 - fx) * (1 - fy), w10 = fx * (1 - fy), w01 = (1 - fx) * fy, w11 = fx * fy;
        double fex = w00 * ex[a + i] + w10 * ex[a + i1] + w01 * ex[c + i] + w11 * ex[c + i1];
        double fey = w00 * ey[a + i] + w10 * ey[a + i1] + w01 * ey[c + i] + w11 * ey[c + i1];
        double ux = q->vx + 0.5 * dt * fex, uy = q->vy + 0.5 * dt * fey;
        double px = ux + uy * t, py = uy - ux * t;
        q->vx = ux + py * s + 0.5 * dt * fex;
        q->vy = uy - px * s + 0.5 * dt * fey;
        q->x = wrap(q->x + q->vx * dt);
        q->y = wrap(q->y + q->vy * dt);
    }
}

static void deposit(void)
{
    memset(density, 0, sizeof(double) * N * N);
    for (int p = 0; p < NPART; p++) {
        const particle_t *q = &part[p];
        int i = (int)q->x, j = (int)q->y;
        double fx = q->x - i, fy = q->y - j;
        int i1 = i + 1 < N ? i + 1 : 0, j1 = j + 1 < N ? j + 1 : 0;
        density[(size_t)j * N + i] += q->w * (1 - fx) * (1 - fy);
        density[(size_t)j * N + i1] += q->w * fx * (1 - fy);
        density[(size_t)j1 * N + i] += q->w * (1 - fx) * fy;
        density[(size_t)j1 * N + i1] += q->w * fx * fy;
    }
}

/* counting sort by tiles of TILE x TILE cells, as the grid is traversed */
#define TILE 8
#define NTILE (N / TILE)

static int tile_of(const particle_t *q)
{
    return (int)q->y / TILE * NTILE + (int)q->x / TILE;
}

static void sort_particles(void)
{
    static int start[NTILE * NTILE + 1];
    particle_t *sorted = malloc(sizeof *sorted * NPART);
    memset(start, 0, sizeof start);
    for (int p = 0; p < NPART; p++)
        start[tile_of(&part[p]) + 1]++;
    for (int t = 0; t < NTILE * NTILE; t++)
        start[t + 1] += start[t];
    for (int p = 0; p < NPART; p++)
        sorted[start[tile_of(&part[p])]++] = part[p];
    free(part);
    part = sorted;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 24;
    ex = calloc((size_t)N * N, sizeof *ex);
    ey = calloc((size_t)N * N, sizeof *ey);
    density = malloc(sizeof(double) * N * N);
    part = malloc(sizeof *part * NPART);
    make_field();
    for (int p = 0; p < NPART; p++) {
        part[p].x = N * uniform();
        part[p].y = N * uniform();
        part[p].vx = uniform() + uniform() - 1;
        part[p].vy = uniform() + uniform() - 1;
        part[p].w = 0.5 + uniform();
    }

    for (int s = 1; s <= steps; s++) {
        if (s % 40 == 1)
            sort_particles();
        push(0.1, 1.0);
        deposit();
        if (s % 8 == 0) {
            double total = 0, square = 0, energy = 0;
            for (size_t c = 0; c < (size_t)N * N; c++) {
                total += density[c];
                square += density[c] * density[c];
            }
            for (int p = 0; p < NPART; p++)
                energy += 0.5 * part[p].w * (part[p].vx * part[p].vx + part[p].vy * part[p].vy);
            printf("step %3d charge %.6f variance %.9f energy %.6f\n", s, total,
                   square / N / N - pow(total / N / N, 2), energy);
        }
    }
    for (int c = 1000; c < N * N; c += N * N / 7)
        printf("density[%d] = %.9f\n", c, density[c]);
    free(ex);
    free(ey);
    free(density);
    free(part);
    return 0;
}
