// PROGRAM flags=-fopenmp compilers=gcc
//
// Loops that two threads share; see README.md.

#include <omp.h>
#include <stdio.h>

#define KERNEL __attribute__((noipa)) void

enum { N = 1024 };
static _Alignas(64) double a[N], b[N], counters[16];

// Two threads: each counts in a place of its own, all on one line.
KERNEL shared(double *x, long n) {
#pragma omp parallel num_threads(2)
    {
        double *mine = x + omp_get_thread_num();
#pragma omp for schedule(static)
        for (long i = 0; i < n; i++)         // LOOP name=shared class=reduction iterations=65536 may=RAW:1,WAW:1,WAR:1 threads=2
            *(volatile double *)mine += 1.0;
    }
}
KERNEL apart(double *restrict x, const double *restrict y, long n) {
#pragma omp parallel for num_threads(2) schedule(static)
    for (long i = 0; i < n; i++)             // LOOP name=apart class=fp-map iterations=1024 threads=2 vector=safe parallel=independent
        x[i] = y[i] * 0.5;                   // ACCESS S8:8 L8:8
}

int main(void) {
    for (int i = 0; i < N; i++) b[i] = i;
    shared(counters, 65536);
    apart(a, b, N);
    printf("%.1f %.1f\n", counters[0] + counters[1], a[N - 1]);
    return 0;
}
