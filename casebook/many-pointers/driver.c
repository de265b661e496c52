/* Multiplies complex matrices, real and imaginary parts in separate arrays, and prints the results. */
#include "case.h"

void multiply(const double *a_re, const double *a_im, const double *b_re, const double *b_im, double *c_re,
              double *c_im, int rows, int inner, int columns);

int main(int argc, char **argv)
{
    int n = (int)case_option(argc, argv, "--n", 96);
    int passes = (int)case_option(argc, argv, "--passes", 1);
    size_t elements = (size_t)n * (size_t)n;
    double *factors[4];
    uint64_t state = 1;
    for (int part = 0; part < 4; part++) {
        factors[part] = case_memory(elements, sizeof *factors[part]);
        for (size_t i = 0; i < elements; i++)
            factors[part][i] = case_random(&state);
    }
    double *c_re = case_memory(elements, sizeof *c_re);
    double *c_im = case_memory(elements, sizeof *c_im);

    double start = case_seconds();
    for (int pass = 0; pass < passes; pass++)
        multiply(factors[0], factors[1], factors[2], factors[3], c_re, c_im, n, n, n);
    double seconds = case_seconds() - start;

    double sum_re = 0, sum_im = 0;
    for (size_t i = 0; i < elements; i++) {
        sum_re += c_re[i];
        sum_im += c_im[i];
    }
    case_print("seconds", seconds);
    case_print("flop", 8.0 * (double)elements * n * passes);
    case_print("bytes", 6.0 * 8.0 * (double)elements * passes);
    case_print("working_set", 6.0 * 8.0 * (double)elements);
    case_print("sum_re", sum_re);
    case_print("sum_im", sum_im);
    return 0;
}
