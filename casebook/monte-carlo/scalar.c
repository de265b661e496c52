/* One scenario after the other, as loops: two matrices times a vector, a dot product and a sum of
 * vectors. The compiler must add up a dot product in order, one element after the other. */
#include "case.h"
#include "portfolio.h"

static void matrix_times_vector(const double *matrix, const double *x, double *y, int rows, int columns)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < columns; j++)
            sum += matrix[(size_t)i * (size_t)columns + (size_t)j] * x[j];
        y[i] = sum;
    }
}

void evaluate(const struct portfolio *portfolio, const double *draws, long scenarios, double *changes, double *total)
{
    int factors = portfolio->factors, instruments = portfolio->instruments;
    double *move = case_memory((size_t)factors, sizeof *move);
    double *change = case_memory((size_t)instruments, sizeof *change);
    for (long s = 0; s < scenarios; s++) {
        matrix_times_vector(portfolio->correlate, draws + s * factors, move, factors, factors);
        matrix_times_vector(portfolio->sensitivity, move, change, instruments, factors);
        double sum = 0;
        for (int i = 0; i < instruments; i++)
            sum += portfolio->weight[i] * change[i];
        changes[s] = sum;
        for (int i = 0; i < instruments; i++)
            total[i] += change[i];
    }
    free(change);
    free(move);
}
