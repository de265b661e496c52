/* BATCH scenarios at a time: the vectors of a batch are the rows of a matrix, and a product of matrices uses each number
 * that it loads for many scenarios. One product with a vector per batch replaces ddot and daxpy per scenario. */
#include "case.h"
#include "portfolio.h"

#include <cblas.h>

/* The moves and changes of a batch stay in L2; the library's kernels need some hundred rows. */
enum { BATCH = 256 };

void evaluate(const struct portfolio *portfolio, const double *draws, long scenarios, double *changes, double *total)
{
    int factors = portfolio->factors, instruments = portfolio->instruments;
    double *move = case_memory((size_t)BATCH * (size_t)factors, sizeof *move);
    double *change = case_memory((size_t)BATCH * (size_t)instruments, sizeof *change);
    double ones[BATCH];
    for (int s = 0; s < BATCH; s++)
        ones[s] = 1;
    for (long first = 0; first < scenarios; first += BATCH) {
        int batch = scenarios - first < BATCH ? (int)(scenarios - first) : BATCH;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, batch, factors, factors, 1, draws + first * factors, factors,
                    portfolio->correlate, factors, 0, move, factors);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, batch, instruments, factors, 1, move, factors,
                    portfolio->sensitivity, factors, 0, change, instruments);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, batch, instruments, 1, change, instruments, portfolio->weight, 1, 0,
                    changes + first, 1);
        cblas_dgemv(CblasRowMajor, CblasTrans, batch, instruments, 1, change, instruments, ones, 1, 1, total, 1);
    }
    free(change);
    free(move);
}
