// PROGRAM flags=-fopenmp compilers=gcc
//
// OpenMP with a known imbalance: of four threads, thread t does t + 1 parts. Usage: openmp [expect] [N] [REGIONS].

#include "expect.h"
#include <omp.h>

KERNEL double part(const double *x, long n) {
    KEEP;
    double sum = 0;
    for (long i = 0; i < n; i++) // LOOP name=part class=fp-reduction
        sum += x[i] * 0.5;
    return sum;
}

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long n = argument(argc, argv, 1, 1000), regions = argument(argc, argv, 2, 20);
    if (ask) {
        // Per region (1 + 2 + 3 + 4) n elements, two FLOP each.
        printf("function part calls=%ld f64=%ld\n", 4 * regions, 2 * 10 * n * regions);
        printf("loop part entries=%ld iterations=%ld min=%ld max=%ld\n", 4 * regions, 10 * n * regions, n, 4 * n);
        printf("threads part f64=%ld,%ld,%ld,%ld\n", 2 * n * regions, 4 * n * regions, 6 * n * regions, 8 * n * regions);
        return 0;
    }
    double *x = malloc(sizeof *x * (size_t)(4 * n)), sums[4] = {0};
    if (!x) return 1;
    for (long i = 0; i < 4 * n; i++) x[i] = (double)(i % 8);
    omp_set_dynamic(0);
    for (long r = 0; r < regions; r++) {
#pragma omp parallel num_threads(4)
        {
            int t = omp_get_thread_num();
            sums[t] += part(x, n * (t + 1));
        }
    }
    printf("sum %.17g\n", sums[0] + sums[1] + sums[2] + sums[3]);
    return 0;
}
