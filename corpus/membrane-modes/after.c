/* Lowest vibration modes of an inhomogeneous membrane: block subspace
 * iteration with a shifted five-point operator and Gram-Schmidt. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int nx, ny, n;      /* grid and number of unknowns */
    int m;              /* number of vectors in the block */
    double *kappa;      /* stiffness of each cell */
    double shift;
} Problem;

/* component i of vector j of the block */
#define AT(X, p, i, j) ((X)[(size_t)(j) * (p)->n + (i)])

static double *new_block(const Problem *p)
{
    double *b = calloc((size_t)p->n * p->m, sizeof(double));
    if (!b) { perror("calloc"); exit(1); }
    return b;
}

static void setup(Problem *p, int nx, int ny, int m)
{
    p->nx = nx; p->ny = ny; p->n = nx * ny; p->m = m;
    p->kappa = malloc(sizeof(double) * p->n);
    if (!p->kappa) { perror("malloc"); exit(1); }
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++)
            p->kappa[y * nx + x] = 1.0 + 0.5 * sin(0.05 * x) * cos(0.07 * y) + (x > nx / 3 && y < ny / 2 ? 0.7 : 0.0);
    p->shift = 18.0;
}

/* Y(:,j) = A X(:,j) with fixed edges */
static void apply(const Problem *p, const double *X, double *Y, int j)
{
    int nx = p->nx, ny = p->ny;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            int i = y * nx + x;
            double c = AT(X, p, i, j);
            double w = x > 0 ? AT(X, p, i - 1, j) : 0.0;
            double e = x < nx - 1 ? AT(X, p, i + 1, j) : 0.0;
            double s = y > 0 ? AT(X, p, i - nx, j) : 0.0;
            double n = y < ny - 1 ? AT(X, p, i + nx, j) : 0.0;
            double kw = x > 0 ? 0.5 * (p->kappa[i] + p->kappa[i - 1]) : p->kappa[i];
            double ke = x < nx - 1 ? 0.5 * (p->kappa[i] + p->kappa[i + 1]) : p->kappa[i];
            double ks = y > 0 ? 0.5 * (p->kappa[i] + p->kappa[i - nx]) : p->kappa[i];
            double kn = y < ny - 1 ? 0.5 * (p->kappa[i] + p->kappa[i + nx]) : p->kappa[i];
            AT(Y, p, i, j) = (kw + ke + ks + kn) * c - kw * w - ke * e - ks * s - kn * n;
        }
}

static double dot(const Problem *p, const double *X, int j, const double *Y, int k)
{
    double s = 0.0;
    for (int i = 0; i < p->n; i++)
        s += AT(X, p, i, j) * AT(Y, p, i, k);
    return s;
}

static void subtract(const Problem *p, double *X, int j, double f, int k)
{
    for (int i = 0; i < p->n; i++)
        AT(X, p, i, j) -= f * AT(X, p, i, k);
}

static void scale(const Problem *p, double *X, int j, double f)
{
    for (int i = 0; i < p->n; i++)
        AT(X, p, i, j) *= f;
}

static void orthonormalise(const Problem *p, double *X)
{
    for (int j = 0; j < p->m; j++) {
        for (int k = 0; k < j; k++)
            subtract(p, X, j, dot(p, X, j, X, k), k);
        scale(p, X, j, 1.0 / sqrt(dot(p, X, j, X, j)));
    }
}

static void start(const Problem *p, double *X)
{
    for (int j = 0; j < p->m; j++) {
        int a = 1 + j % 5, b = 1 + j / 5;
        for (int i = 0; i < p->n; i++) {
            double x = (i % p->nx + 1.0) / (p->nx + 1), y = (i / p->nx + 1.0) / (p->ny + 1);
            AT(X, p, i, j) = x * (1 - x) * y * (1 - y) * (pow(x, a - 1) * pow(y, b - 1) + 0.1);
        }
    }
}

int main(void)
{
    const int iterations = 16;
    Problem p;
    setup(&p, 260, 220, 24);
    double *X = new_block(&p), *Y = new_block(&p);
    start(&p, X);
    orthonormalise(&p, X);
    for (int it = 0; it < iterations; it++) {
        for (int j = 0; j < p.m; j++) {
            apply(&p, X, Y, j);
            for (int i = 0; i < p.n; i++)
                AT(X, &p, i, j) -= AT(Y, &p, i, j) / p.shift;
        }
        orthonormalise(&p, X);
    }
    double trace = 0.0;
    for (int j = 0; j < p.m; j++) {
        apply(&p, X, Y, j);
        double q = dot(&p, X, j, Y, j);
        trace += q;
        if (j < 4) printf("rayleigh quotient %d %.12e\n", j, q);
    }
    double off = fabs(dot(&p, X, 1, Y, 4)) + fabs(dot(&p, X, 2, Y, 7));
    printf("trace %.12e\ncoupling %.9e\n", trace, off);
    printf("centre %.12e\n", fabs(AT(X, &p, p.n / 2 + p.nx / 2, 0)));
    free(X); free(Y); free(p.kappa);
    return 0;
}
