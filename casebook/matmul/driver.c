/* Multiplies square matrices that do not fit into a small cache, and checks the product with a random vector. */
#include "case.h"

#include <math.h>

void multiply(const double *a, const double *b, double *c, int n);

/* The largest component of c x - a (b x), relative to the possible rounding error: one wrong row of c shows
 * (R. Freivalds, Fast probabilistic algorithms, MFCS 1979), at n^2 operations instead of n^3. */
static double check(const double *a, const double *b, const double *c, int n, uint64_t *state)
{
    double *x = case_memory((size_t)n, sizeof *x);
    double *bx = case_memory((size_t)n, sizeof *bx);
    for (int i = 0; i < n; i++)
        x[i] = case_random(state) - 0.5;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            bx[i] += b[(size_t)i * n + j] * x[j];
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double difference = 0;
        for (int j = 0; j < n; j++)
            difference += c[(size_t)i * n + j] * x[j] - a[(size_t)i * n + j] * bx[j];
        /* a NaN must not count as a small difference */
        if (!(fabs(difference) <= worst))
            worst = fabs(difference);
    }
    free(x);
    free(bx);
    return worst / n;
}

int main(int argc, char **argv)
{
    int n = (int)case_option(argc, argv, "--n", 100);
    size_t elements = (size_t)n * (size_t)n;
    double *a = case_memory(elements, sizeof *a);
    double *b = case_memory(elements, sizeof *b);
    double *c = case_memory(elements, sizeof *c);
    uint64_t state = 1;
    for (size_t i = 0; i < elements; i++) {
        a[i] = case_random(&state);
        b[i] = case_random(&state);
    }

    double start = case_seconds();
    multiply(a, b, c, n);
    double seconds = case_seconds() - start;

    double sum = 0;
    for (size_t i = 0; i < elements; i++)
        sum += c[i];
    case_print("seconds", seconds);
    case_print("flop", 2.0 * (double)elements * n);
    case_print("bytes", 3.0 * 8.0 * (double)elements);
    case_print("working_set", 3.0 * 8.0 * (double)elements);
    case_print("sum", sum);
    case_print("corner", c[elements - 1]);
    case_print("difference", check(a, b, c, n, &state));
    return 0;
}
