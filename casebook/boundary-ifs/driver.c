/* Computes the grid's Jacobian repeatedly, and prints the results. */
#include <math.h>

#include "case.h"
#include "grid.h"

int main(int argc, char **argv)
{
    int columns = (int)case_option(argc, argv, "--columns", 64);
    int n = (int)case_option(argc, argv, "--n", 16); /* rows and layers */
    int passes = (int)case_option(argc, argv, "--passes", 1);
    if (n < 3 || columns < 3) {
        fprintf(stderr, "%s: a grid needs three points in each direction\n", argv[0]);
        return 2;
    }
    size_t points = (size_t)columns * (size_t)n * (size_t)n;
    double *x = case_memory(points, sizeof *x);
    double *y = case_memory(points, sizeof *y);
    double *z = case_memory(points, sizeof *z);
    double *inverse = case_memory(points, sizeof *inverse);
    size_t at = 0;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < columns; i++, at++) {
                /* A box, bent a little: the determinant stays near 1. */
                double u = (double)i / columns, v = (double)j / n, w = (double)k / n;
                x[at] = i + 0.5 * sin(v + w);
                y[at] = j + 0.5 * sin(u + w);
                z[at] = k + 0.5 * sin(u + v);
            }

    grid g = {columns, n, n, 0.5, 0.5, 0.5};
    double start = case_seconds();
    for (int pass = 0; pass < passes; pass++) {
        x[(size_t)pass % points] += 0x1p-20; /* so that every pass differs from the one before */
        jacobian(g, x, y, z, inverse);
    }
    double seconds = case_seconds() - start;

    double sum = 0, weighted = 0;
    for (size_t p = 0; p < points; p++) {
        sum += inverse[p];
        weighted += inverse[p] * (double)(p % 101);
    }
    case_print("seconds", seconds);
    case_print("flop", 37.0 * (double)points * passes); /* an inner point's */
    case_print("bytes", 4.0 * 8.0 * (double)points * passes);
    case_print("working_set", 4.0 * 8.0 * (double)points);
    case_print("sum", sum);
    case_print("weighted", weighted);
    return 0;
}
