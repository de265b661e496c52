/* Solves a dense linear system by LU factorisation with partial pivoting. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long seed = 20240607ULL;

static double uniform(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static double *new_array(size_t n)
{
    double *p = calloc(n, sizeof *p);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return p;
}

/* Factorise a (n by n, stored by rows) in place; piv records the row swaps. */
static int lu_factor(int n, double *a, int *piv)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        double big = fabs(a[(size_t)k * n + k]);
        for (int i = k + 1; i < n; i++) {
            double v = fabs(a[(size_t)i * n + k]);
            if (v > big) {
                big = v;
                p = i;
            }
        }
        if (big == 0.0)
            return k + 1;
        piv[k] = p;
        if (p != k) {
            for (int j = 0; j < n; j++) {
                double t = a[(size_t)k * n + j];
                a[(size_t)k * n + j] = a[(size_t)p * n + j];
                a[(size_t)p * n + j] = t;
            }
        }
        for (int i = k + 1; i < n; i++)
            a[(size_t)i * n + k] /= a[(size_t)k * n + k];
        for (int j = k + 1; j < n; j++)
            for (int i = k + 1; i < n; i++)
                a[(size_t)i * n + j] -= a[(size_t)i * n + k] * a[(size_t)k * n + j];
    }
    return 0;
}

static void lu_solve(int n, const double *a, const int *piv, double *b)
{
    for (int k = 0; k < n; k++) {
        int p = piv[k];
        if (p != k) {
            double t = b[k];
            b[k] = b[p];
            b[p] = t;
        }
    }
    for (int i = 1; i < n; i++) {
        double s = b[i];
        for (int j = 0; j < i; j++)
            s -= a[(size_t)i * n + j] * b[j];
        b[i] = s;
    }
    for (int i = n - 1; i >= 0; i--) {
        double s = b[i];
        for (int j = i + 1; j < n; j++)
            s -= a[(size_t)i * n + j] * b[j];
        b[i] = s / a[(size_t)i * n + i];
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1200;
    double *a = new_array((size_t)n * n), *lu = new_array((size_t)n * n);
    double *b = new_array(n), *x = new_array(n);
    int *piv = calloc(n, sizeof *piv);
    if (!piv)
        return 1;

    for (size_t i = 0; i < (size_t)n * n; i++)
        lu[i] = a[i] = uniform() - 0.5;
    for (int i = 0; i < n; i++)
        x[i] = b[i] = uniform();

    int info = lu_factor(n, lu, piv);
    if (info) {
        printf("singular at column %d\n", info);
        return 1;
    }
    lu_solve(n, lu, piv, x);

    double worst = 0.0, sum = 0.0, logdet = 0.0;
    for (int i = 0; i < n; i++) {
        double r = b[i];
        for (int j = 0; j < n; j++)
            r -= a[(size_t)i * n + j] * x[j];
        if (fabs(r) > worst)
            worst = fabs(r);
        sum += x[i];
        logdet += log(fabs(lu[(size_t)i * n + i]));
    }
    printf("n %d\nsum of solution %.12e\nlog|det| %.12e\n", n, sum, logdet);
    printf("x[0] %.12e x[n/2] %.12e x[n-1] %.12e\n", x[0], x[n / 2], x[n - 1]);
    printf("residual small: %s\n", worst < 1e-8 ? "yes" : "no");
    free(a);
    free(lu);
    free(b);
    free(x);
    free(piv);
    return 0;
}
