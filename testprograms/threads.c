// PROGRAM flags=-fopenmp compilers=gcc
//
// An OpenMP program: a balanced parallel loop, a badly balanced one and a serial part.
// Usage: threads [SECONDS, default 1]. Honours OMP_NUM_THREADS. Prints `section NAME CPU_SECONDS` (CPU time of the
// whole process, waiting threads included) and `threads COUNT`.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 100000 };
static double x[N], y[N];

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static void balanced(void) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++) { // LOOP name=balanced class=recurrence
        double v = y[i];
        for (int k = 0; k < 20; k++) v = v * 0.999 + 0.001; // LOOP name=balanced_chain class=recurrence
        x[i] = v;
    }
}

// Iteration i costs i: a static schedule leaves the last thread with most of the work.
__attribute__((noinline)) static void unbalanced(void) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 1000; i++) { // LOOP name=unbalanced class=nest-outer
        double v = y[i];
        for (int k = 0; k < 2 * i; k++) v = v * 0.999 + 0.001; // LOOP name=unbalanced_chain class=recurrence
        x[i] = v;
    }
}

__attribute__((noinline)) static void serial(void) {
    for (int i = 1; i < N; i++) x[i] = 0.5 * x[i - 1] + y[i]; // LOOP name=serial class=recurrence
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? strtod(argv[1], 0) : 1.0;
    for (int i = 0; i < N; i++) y[i] = (i * 37 % 101) / 101.0;
    struct {
        const char *name;
        void (*work)(void);
        double share, cpu;
    } sections[] = {{"balanced", balanced, 0.5, 0}, {"unbalanced", unbalanced, 0.3, 0}, {"serial", serial, 0.2, 0}};
    for (int s = 0; s < 3; s++) {
        double cpu = cpu_seconds(), end = omp_get_wtime() + seconds * sections[s].share;
        while (omp_get_wtime() < end) sections[s].work();
        sections[s].cpu = cpu_seconds() - cpu;
    }
    for (int s = 0; s < 3; s++) printf("section %s %.6f\n", sections[s].name, sections[s].cpu);
    printf("threads %d\n", omp_get_max_threads());
    return x[10] < -1;
}
