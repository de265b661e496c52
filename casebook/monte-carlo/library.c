/* One scenario after the other, with the library's dgemv, ddot and daxpy: wide multiply-adds, several sums in flight. Each
 * call reads its whole matrix for one vector. */
#include "case.h"
#include "portfolio.h"

#include <cblas.h>

void evaluate(const struct portfolio *portfolio, const double *draws, long scenarios, double *changes, double *total)
{
    int factors = portfolio->factors, instruments = portfolio->instruments;
    double *move = case_memory((size_t)factors, sizeof *move);
    double *change = case_memory((size_t)instruments, sizeof *change);
    for (long s = 0; s < scenarios; s++) {
        cblas_dgemv(CblasRowMajor, CblasNoTrans, factors, factors, 1, portfolio->correlate, factors, draws + s * factors, 1,
                    0, move, 1);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, instruments, factors, 1, portfolio->sensitivity, factors, move, 1, 0,
                    change, 1);
        changes[s] = cblas_ddot(instruments, portfolio->weight, 1, change, 1);
        cblas_daxpy(instruments, 1, change, 1, total, 1);
    }
    free(change);
    free(move);
}
