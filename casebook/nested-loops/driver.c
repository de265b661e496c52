/* Calls the loops repeatedly, and prints sums of their arrays. */
#include "arrays.h"
#include "case.h"

int main(int argc, char **argv)
{
    int n = (int)case_option(argc, argv, "--n", 100);
    int m = (int)case_option(argc, argv, "--m", 10);
    int l = (int)case_option(argc, argv, "--l", 5);
    int passes = (int)case_option(argc, argv, "--passes", 1);
    size_t plane = (size_t)n * (size_t)m, elements = plane * (size_t)l;
    double *a = case_memory((size_t)n, sizeof *a);
    double *f = case_memory((size_t)n, sizeof *f);
    double *b = case_memory((size_t)m, sizeof *b);
    double *e = case_memory((size_t)l, sizeof *e);
    double *d = case_memory(plane, sizeof *d);
    double *c = case_memory(elements, sizeof *c);
    uint64_t state = 1;
    for (int i = 0; i < n; i++)
        a[i] = case_random(&state);
    for (int j = 0; j < m; j++)
        b[j] = case_random(&state);
    for (int k = 0; k < l; k++)
        e[k] = case_random(&state);

    double start = case_seconds();
    for (int pass = 0; pass < passes; pass++) {
        a[pass % n] += 0x1p-10; /* so that every pass differs from the one before */
        products(n, m, l, a, b, e, f, d, c);
    }
    double seconds = case_seconds() - start;

    double sum_d = 0, sum_c = 0, weighted_c = 0;
    for (size_t p = 0; p < plane; p++)
        sum_d += d[p];
    for (size_t p = 0; p < elements; p++) {
        sum_c += c[p];
        weighted_c += c[p] * (double)(p % 101);
    }
    double computed = (double)n + (double)plane + (double)elements;
    case_print("seconds", seconds);
    case_print("flop", computed * passes);
    case_print("bytes", 8 * (computed + n) * passes);
    case_print("working_set", 8 * (computed + n));
    case_print("sum_d", sum_d);
    case_print("sum_c", sum_c);
    case_print("weighted_c", weighted_c);
    return 0;
}
