/* Solves a dense system of equations as the LINPACK benchmark does, through the library's dgesv, and checks the solution
 * with LINPACK's scaled residual. The program does not choose the kernels: the library chooses them when it
 * is loaded, and OPENBLAS_CORETYPE overrides its choice. */
#include "case.h"

#include <float.h>
#include <math.h>

/* LAPACK's Fortran interface: not every package contains lapacke.h. */
void dgesv_(const int *n, const int *columns, double *a, const int *lda, int *pivots, double *b, const int *ldb, int *info);

static double larger(double x, double y)
{
    return y <= x ? x : y; /* a NaN remains a NaN */
}

/* ||a x - b|| / (eps n (||a|| ||x|| + ||b||)) in the maximum norm; a correct solver stays below some 16. */
static double scaled_residual(const double *a, const double *x, const double *b, int n)
{
    double *difference = case_memory((size_t)n, sizeof *difference);
    double *row_sum = case_memory((size_t)n, sizeof *row_sum);
    double worst = 0, norm_a = 0, norm_x = 0, norm_b = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            difference[i] += a[(size_t)j * n + i] * x[j];
            row_sum[i] += fabs(a[(size_t)j * n + i]);
        }
    for (int i = 0; i < n; i++) {
        worst = larger(worst, fabs(difference[i] - b[i]));
        norm_a = larger(norm_a, row_sum[i]);
        norm_x = larger(norm_x, fabs(x[i]));
        norm_b = larger(norm_b, fabs(b[i]));
    }
    free(difference);
    free(row_sum);
    return worst / (DBL_EPSILON * n * (norm_a * norm_x + norm_b));
}

int main(int argc, char **argv)
{
    int n = (int)case_option(argc, argv, "--n", 100);
    size_t elements = (size_t)n * (size_t)n;
    double *a = case_memory(elements, sizeof *a);
    double *factors = case_memory(elements, sizeof *factors);
    double *b = case_memory((size_t)n, sizeof *b);
    double *x = case_memory((size_t)n, sizeof *x);
    int *pivots = case_memory((size_t)n, sizeof *pivots);
    uint64_t state = 1;
    for (size_t i = 0; i < elements; i++)
        a[i] = factors[i] = case_random(&state) - 0.5;
    for (int i = 0; i < n; i++)
        b[i] = x[i] = case_random(&state) - 0.5;

    const int one = 1;
    int info = 0;
    double start = case_seconds();
    dgesv_(&n, &one, factors, &n, pivots, x, &n, &info);
    double seconds = case_seconds() - start;
    if (info) {
        fprintf(stderr, "dgesv gave up: info = %d\n", info);
        return 1;
    }

    double size = n;
    case_print("seconds", seconds);
    case_print("flop", 2.0 / 3.0 * size * size * size + 2.0 * size * size);
    case_print("bytes", 8.0 * (double)elements);
    case_print("working_set", 8.0 * (double)elements);
    case_print("residual", scaled_residual(a, x, b, n));
    case_print("middle", x[n / 2]);
    return 0;
}
