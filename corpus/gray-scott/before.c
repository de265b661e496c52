/* Gray-Scott reaction-diffusion on a periodic square. */
#include <stdio.h>
#include <stdlib.h>

static int n = 320;
static double *u, *v, *u2, *v2;

static int idx(int i, int j)
{
    i = (i + n) % n;
    j = (j + n) % n;
    return i * n + j;
}

static double laplacian(const double *f, int i, int j)
{
    return 0.2 * (f[idx(i - 1, j)] + f[idx(i + 1, j)] + f[idx(i, j - 1)] + f[idx(i, j + 1)])
         + 0.05 * (f[idx(i - 1, j - 1)] + f[idx(i - 1, j + 1)] + f[idx(i + 1, j - 1)] + f[idx(i + 1, j + 1)])
         - f[idx(i, j)];
}

static void step(double feed, double kill)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double a = u[idx(i, j)], b = v[idx(i, j)];
            double r = a * b * b;
            u2[idx(i, j)] = a + 1.0 * laplacian(u, i, j) - r + feed * (1.0 - a);
            v2[idx(i, j)] = b + 0.5 * laplacian(v, i, j) + r - (kill + feed) * b;
        }
    }
    double *t = u;
    u = u2;
    u2 = t;
    t = v;
    v = v2;
    v2 = t;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 560;
    size_t bytes = (size_t)n * n * sizeof(double);
    u = malloc(bytes);
    v = malloc(bytes);
    u2 = malloc(bytes);
    v2 = malloc(bytes);
    if (!u || !v || !u2 || !v2)
        return 1;

    unsigned s = 12345;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            s = s * 1664525u + 1013904223u;
            u[i * n + j] = 1.0 - 0.02 * (s >> 8) / 16777216.0;
            v[i * n + j] = 0.0;
        }
    }
    for (int b = 0; b < 12; b++) {
        int ci = (37 * b + 11) % n, cj = (91 * b + 5) % n;
        for (int i = -6; i <= 6; i++) {
            for (int j = -6; j <= 6; j++) {
                u[idx(ci + i, cj + j)] = 0.5;
                v[idx(ci + i, cj + j)] = 0.25;
            }
        }
    }

    for (int t = 0; t < steps; t++)
        step(0.037, 0.06);

    double su = 0.0, sv = 0.0, max = 0.0;
    for (int k = 0; k < n * n; k++) {
        su += u[k];
        sv += v[k];
        if (v[k] > max)
            max = v[k];
    }
    printf("steps %d\n", steps);
    printf("mean u %.12f\nmean v %.12f\nmax v %.12f\n", su / (n * n), sv / (n * n), max);
    printf("probe %.12f %.12f %.12f\n", u[0], v[11 * n + 5], u[(n - 1) * n + n / 2]);
    free(u);
    free(v);
    free(u2);
    free(v2);
    return 0;
}
