/* Fits a smoothing spline of sensor readings again and again: each pass assembles the symmetric band matrix of
 * second differences and weights, factorises it and solves for the smoothed values, as time series are smoothed channel by
 * channel. The half bandwidth comes from the command line, so that no compiler knows how short the inner loops are. */
#include "band.h"
#include "case.h"

#include <math.h>

/* The matrix W + lambda D'D of the differences of order `band`, in rows of band + 1 elements, the diagonal first. */
static void assemble(double *a, const double *weight, double lambda, int n, int band)
{
    double difference[MOST_BAND + 1] = {1};
    for (int order = 1; order <= band; order++)
        for (int i = order; i > 0; i--)
            difference[i] -= difference[i - 1];
    for (int i = 0; i < n; i++) {
        double *row = a + (size_t)i * (size_t)(band + 1);
        for (int k = 0; k <= band; k++)
            row[k] = k ? 0.0 : weight[i];
        for (int k = 0; k <= band && i + k < n; k++)
            for (int s = 0; s + k <= band; s++)
                if (i - s >= 0 && i - s + band < n)
                    row[k] += lambda * difference[s] * difference[s + k];
    }
}

/* The largest element of b - A x. */
static double residual(const double *a, const double *x, const double *b, int n, int band)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double sum = b[i];
        for (int k = 0; k <= band && i + k < n; k++)
            sum -= a[(size_t)i * (size_t)(band + 1) + (size_t)k] * x[i + k];
        for (int k = 1; k <= band && i - k >= 0; k++)
            sum -= a[(size_t)(i - k) * (size_t)(band + 1) + (size_t)k] * x[i - k];
        worst = fabs(sum) > worst ? fabs(sum) : worst;
    }
    return worst;
}

int main(int argc, char **argv)
{
    int n = (int)case_option(argc, argv, "--n", 1000);
    int band = (int)case_option(argc, argv, "--band", 3);
    int passes = (int)case_option(argc, argv, "--passes", 1);
    if (band < 1 || band > MOST_BAND || n <= band) {
        fprintf(stderr, "--band is a number from 1 to %d, below --n\n", MOST_BAND);
        return 2;
    }
    size_t elements = (size_t)n * (size_t)(band + 1);
    double *matrix = case_memory(elements, sizeof *matrix);
    double *factor = case_memory(elements, sizeof *factor);
    double *weight = case_memory((size_t)n, sizeof *weight);
    double *b = case_memory((size_t)n, sizeof *b);
    double *x = case_memory((size_t)n, sizeof *x);
    uint64_t state = 1;
    for (int i = 0; i < n; i++) {
        weight[i] = 0.5 + case_random(&state);
        b[i] = weight[i] * (sin(0.01 * i) + 0.2 * (case_random(&state) - 0.5));
    }
    assemble(matrix, weight, 10.0, n, band);

    double start = case_seconds(), checksum = 0;
    for (int pass = 0; pass < passes; pass++) {
        memcpy(factor, matrix, elements * sizeof *factor);
        memcpy(x, b, (size_t)n * sizeof *x);
        x[pass % n] += 0.001; /* so that every pass differs from the one before */
        if (factorise(factor, n, band)) {
            fprintf(stderr, "the matrix is not positive definite\n");
            return 1;
        }
        solve(factor, x, n, band);
        checksum += x[n / 2];
    }
    double seconds = case_seconds() - start;

    b[(passes - 1) % n] += 0.001;
    double size = n, width = band;
    case_print("seconds", seconds);
    case_print("flop", passes * size * (width * width + 6.0 * width));
    case_print("bytes", passes * 8.0 * size * (2.0 * width + 4.0));
    case_print("working_set", 8.0 * size * (2.0 * width + 4.0));
    case_print("residual", residual(matrix, x, b, n, band));
    case_print("checksum", checksum);
    return 0;
}
