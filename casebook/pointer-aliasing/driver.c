/* Multiplies matrices by adding multiples of rows, and prints the results. */
#include "case.h"

void multiply(const double *a, const double *b, double *c, int rows, int inner, int columns);

int main(int argc, char **argv)
{
    int n = (int)case_option(argc, argv, "--n", 96);
    int passes = (int)case_option(argc, argv, "--passes", 1);
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
    for (int pass = 0; pass < passes; pass++)
        multiply(a, b, c, n, n, n);
    double seconds = case_seconds() - start;

    double sum = 0;
    for (size_t i = 0; i < elements; i++)
        sum += c[i];
    case_print("seconds", seconds);
    case_print("flop", 2.0 * (double)elements * n * passes);
    case_print("bytes", 3.0 * 8.0 * (double)elements * passes);
    case_print("working_set", 3.0 * 8.0 * (double)elements);
    case_print("sum", sum);
    case_print("corner", c[elements - 1]);
    return 0;
}
