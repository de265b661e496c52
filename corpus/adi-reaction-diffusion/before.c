/* Gray-Scott reaction-diffusion on a square, Peaceman-Rachford ADI in time.
 * Diffusion is implicit along one axis per half step, reactions explicit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1024
#define STEPS 16

static const double DU = 1.6e-1, DV = 8.0e-2;
static const double FEED = 0.035, KILL = 0.060;
static const double DT = 1.0;

typedef struct {
    int n;
    double *val;
} Field;

static Field field_new(int n)
{
    Field f = { n, calloc((size_t)n * n, sizeof(double)) };
    if (!f.val) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return f;
}

static inline double *at(const Field *f, int i, int j)
{
    return &f->val[(size_t)i * f->n + j];
}

/* Thomas algorithm on one grid line: (1 + 2r) x_k - r (x_{k-1} + x_{k+1}) = b_k,
 * zero-flux ends. The line starts at x and its points are 'stride' apart. */
static void solve_line(double *x, int n, size_t stride, double r, double *cp)
{
    double diag = 1.0 + r;
    cp[0] = -r / diag;
    x[0] = x[0] / diag;
    for (int k = 1; k < n; k++) {
        diag = (k == n - 1 ? 1.0 + r : 1.0 + 2.0 * r) + r * cp[k - 1];
        cp[k] = -r / diag;
        x[k * stride] = (x[k * stride] + r * x[(k - 1) * stride]) / diag;
    }
    for (int k = n - 2; k >= 0; k--)
        x[k * stride] -= cp[k] * x[(k + 1) * stride];
}

static void diffuse_rows(Field *f, double r, double *work)
{
    for (int i = 0; i < f->n; i++)
        solve_line(at(f, i, 0), f->n, 1, r, work);
}

static void diffuse_columns(Field *f, double r, double *work)
{
    for (int j = 0; j < f->n; j++)
        solve_line(at(f, 0, j), f->n, f->n, r, work);
}

static void react(Field *u, Field *v, double dt)
{
    for (int i = 0; i < u->n; i++)
        for (int j = 0; j < u->n; j++) {
            double a = *at(u, i, j), b = *at(v, i, j);
            double rate = a * b * b;
            *at(u, i, j) = a + dt * (FEED * (1.0 - a) - rate);
            *at(v, i, j) = b + dt * (rate - (FEED + KILL) * b);
        }
}

static void init(Field *u, Field *v)
{
    unsigned s = 12345u;
    for (int i = 0; i < u->n; i++)
        for (int j = 0; j < u->n; j++) {
            s = s * 1664525u + 1013904223u;
            double noise = 0.02 * ((s >> 8) / 16777216.0 - 0.5);
            int patch = (i / 48) % 3 == 1 && (j / 64) % 2 == 0;
            *at(u, i, j) = (patch ? 0.50 : 1.0) + noise;
            *at(v, i, j) = (patch ? 0.25 : 0.0) + fabs(noise);
        }
}

static double total(const Field *f)
{
    double s = 0.0;
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < f->n; j++)
            s += *at(f, i, j);
    return s;
}

int main(void)
{
    Field u = field_new(N), v = field_new(N);
    double *work = malloc(N * sizeof(double));
    if (!work)
        return 1;
    init(&u, &v);
    for (int step = 1; step <= STEPS; step++) {
        react(&u, &v, 0.5 * DT);
        diffuse_rows(&u, DU * DT, work);
        diffuse_rows(&v, DV * DT, work);
        react(&u, &v, 0.5 * DT);
        diffuse_columns(&u, DU * DT, work);
        diffuse_columns(&v, DV * DT, work);
        if (step % 4 == 0)
            printf("step %3d  mean u %.12f  mean v %.12f\n", step,
                   total(&u) / ((double)N * N), total(&v) / ((double)N * N));
    }
    printf("u(100,200) = %.12f\n", *at(&u, 100, 200));
    printf("v(300,515) = %.12f\n", *at(&v, 300, 515));
    free(u.val);
    free(v.val);
    free(work);
    return 0;
}
