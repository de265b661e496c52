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

struct rows {
    const double *up, *mid, *down;
};

/* l, j and r are the columns to the left, here and to the right. */
static inline double laplacian(struct rows f, int l, int j, int r)
{
    return 0.2 * (f.up[j] + f.down[j] + f.mid[l] + f.mid[r])
         + 0.05 * (f.up[l] + f.up[r] + f.down[l] + f.down[r])
         - f.mid[j];
}

static inline void cell(struct rows fu, struct rows fv, double *restrict ou, double *restrict ov,
                        int l, int j, int r, double feed, double kill)
{
    double a = fu.mid[j], b = fv.mid[j];
    double q = a * b * b;
    ou[j] = a + 1.0 * laplacian(fu, l, j, r) - q + feed * (1.0 - a);
    ov[j] = b + 0.5 * laplacian(fv, l, j, r) + q - (kill + feed) * b;
}

static void row(struct rows fu, struct rows fv, double *restrict ou, double *restrict ov,
                double feed, double kill)
{
    cell(fu, fv, ou, ov, n - 1, 0, 1, feed, kill);
    for (int j = 1; j < n - 1; j++)
        cell(fu, fv, ou, ov, j - 1, j, j + 1, feed, kill);
    cell(fu, fv, ou, ov, n - 2, n - 1, 0, feed, kill);
}

static void step(double feed, double kill)
{
    for (int i = 0; i < n; i++) {
        int above = i == 0 ? n - 1 : i - 1, below = i == n - 1 ? 0 : i + 1;
        struct rows fu = {u + above * n, u + i * n, u + below * n};
        struct rows fv = {v + above * n, v + i * n, v + below * n};
        row(fu, fv, u2 + i * n, v2 + i * n, feed, kill);
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
