/* Calls the loop repeatedly, and prints sums of its arrays. */
#include "case.h"

void transform(int n, double *restrict a, const double *restrict b, const double *restrict c, double *restrict d,
               double *restrict e, double *restrict f);

int main(int argc, char **argv)
{
    int n = (int)case_option(argc, argv, "--n", 500);
    int passes = (int)case_option(argc, argv, "--passes", 1);
    double *a = case_memory((size_t)n, sizeof *a);
    double *b = case_memory((size_t)n, sizeof *b);
    double *c = case_memory((size_t)n, sizeof *c);
    double *d = case_memory((size_t)n, sizeof *d);
    double *e = case_memory((size_t)n, sizeof *e);
    double *f = case_memory((size_t)n, sizeof *f);
    uint64_t state = 1;
    for (int i = 0; i < n; i++) {
        b[i] = case_random(&state) - 0.5;
        c[i] = case_random(&state) - 0.5;
    }

    double start = case_seconds();
    for (int pass = 0; pass < passes; pass++) {
        b[pass % n] += 0x1p-10; /* so that every pass differs from the one before */
        transform(n, a, b, c, d, e, f);
    }
    double seconds = case_seconds() - start;

    double sum_a = 0, sum_d = 0, sum_e = 0, sum_f = 0;
    for (int i = 0; i < n; i++) {
        sum_a += a[i];
        sum_d += d[i];
        sum_e += e[i];
        sum_f += f[i];
    }
    case_print("seconds", seconds);
    case_print("flop", 12.0 * n * passes);
    case_print("bytes", 6.0 * 8.0 * n * passes);
    case_print("working_set", 6.0 * 8.0 * n);
    case_print("sum_a", sum_a);
    case_print("sum_d", sum_d);
    case_print("sum_e", sum_e);
    case_print("sum_f", sum_f);
    return 0;
}
