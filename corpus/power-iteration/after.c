/* Leading eigenpairs of a dense symmetric matrix by power iteration with deflation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 300
#define PAIRS 4
#define MAX_ITER 20000

static double *new_vector(size_t n)
{
    double *v = calloc(n, sizeof *v);
    if (!v)
        exit(1);
    return v;
}

static void fill_matrix(double *a, int n)
{
    unsigned state = 2463534242u;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            double noise = (double)(state % 20001) / 10000.0 - 1.0;
            double value = exp(-(double)((i - j) * (i - j)) / 6.0) + 0.01 * noise;
            a[i * n + j] = value;
            a[j * n + i] = value;
        }
        a[i * n + i] += 2.0 + 0.1 * i / n;
    }
}

static double dot(const double *x, const double *y, int n)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

/* Eight rows at a time: eight independent sums, each in its old order, and x[j] loaded once. */
static void matvec(const double *a, const double *x, double *y, int n)
{
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        const double *r = a + (size_t)i * (size_t)n;
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        double s4 = 0.0, s5 = 0.0, s6 = 0.0, s7 = 0.0;
        for (int j = 0; j < n; j++) {
            double xj = x[j];
            s0 += r[j] * xj;
            s1 += r[n + j] * xj;
            s2 += r[2 * n + j] * xj;
            s3 += r[3 * n + j] * xj;
            s4 += r[4 * n + j] * xj;
            s5 += r[5 * n + j] * xj;
            s6 += r[6 * n + j] * xj;
            s7 += r[7 * n + j] * xj;
        }
        y[i] = s0;
        y[i + 1] = s1;
        y[i + 2] = s2;
        y[i + 3] = s3;
        y[i + 4] = s4;
        y[i + 5] = s5;
        y[i + 6] = s6;
        y[i + 7] = s7;
    }
    for (; i < n; i++)
        y[i] = dot(a + (size_t)i * (size_t)n, x, n);
}

static void scale(double *x, double f, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= f;
}

static void deflate(double *a, const double *v, double lambda, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] -= lambda * v[i] * v[j];
}

static int dominant(const double *a, double *v, double *lambda, int n)
{
    double *w = new_vector((size_t)n);
    int iter;
    double previous = 0.0;
    for (int i = 0; i < n; i++)
        v[i] = 1.0 + 0.01 * ((i * 37) % 11);
    scale(v, 1.0 / sqrt(dot(v, v, n)), n);
    for (iter = 1; iter <= MAX_ITER; iter++) {
        matvec(a, v, w, n);
        *lambda = dot(v, w, n);
        double norm = sqrt(dot(w, w, n));
        for (int i = 0; i < n; i++)
            v[i] = w[i] / norm;
        if (fabs(*lambda - previous) < 1e-13 * fabs(*lambda))
            break;
        previous = *lambda;
    }
    free(w);
    return iter;
}

int main(void)
{
    double *a = new_vector((size_t)N * N);
    double *v = new_vector(N);
    double total = 0.0;
    fill_matrix(a, N);
    for (int k = 0; k < PAIRS; k++) {
        double lambda = 0.0;
        int iterations = dominant(a, v, &lambda, N);
        printf("%d: lambda %.9f iterations %d v[0] %.6f v[n/2] %.6f\n", k, lambda, iterations,
               fabs(v[0]), fabs(v[N / 2]));
        total += lambda;
        deflate(a, v, lambda, N);
    }
    printf("sum %.9f\n", total);
    free(a);
    free(v);
    return 0;
}
