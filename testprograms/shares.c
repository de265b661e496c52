// PROGRAM links=-lm
//
// Loops whose shares of the time are known, because the program measures them itself: each phase runs one loop
// until it has used its part of the CPU time, and the end prints `phase NAME SECONDS SHARE` from the thread's CPU
// clock. Usage: shares [SECONDS, default 2]. A survey of it must report the same shares within two points.
//
// The phases are cut into slices that alternate, so that a change of clock speed hits all of them.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KERNEL __attribute__((noinline))

enum { N = 2000, SLICES = 10 };
static double x[N], y[N], z[N];
static unsigned state = 1;

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Each kernel works some tens of microseconds, so that reading the clock between two calls does not count.
KERNEL void triad(void) {
    for (int pass = 0; pass < 40; pass++) {
        for (int i = 0; i < N; i++) // LOOP name=triad class=fp-map
            x[i] = y[i] + 1.5 * z[i];
        __asm__ volatile("" ::: "memory");
    }
}

KERNEL void recurrence(void) {
    for (int pass = 0; pass < 4; pass++) {
        for (int i = 1; i < N; i++) // LOOP name=recurrence class=recurrence
            x[i] = 0.25 * x[i - 1] + y[i];
        __asm__ volatile("" ::: "memory");
    }
}

KERNEL double in_order(void) {
    double s = 0;
    for (int pass = 0; pass < 8; pass++) {
        for (int i = 0; i < N; i++) // LOOP name=in_order class=fp-reduction
            s += y[i] * z[i];
        __asm__ volatile("" ::: "memory");
    }
    return s;
}

KERNEL void generator(void) {
    unsigned s = state;
    for (int i = 0; i < 20000; i++) // LOOP name=generator class=recurrence
        s = s * 1664525u + 1013904223u;
    state = s;
}

KERNEL void divide(void) {
    for (int pass = 0; pass < 6; pass++) {
        for (int i = 0; i < N; i++) // LOOP name=divide class=fp-map
            x[i] = y[i] / (z[i] + 2.0);
        __asm__ volatile("" ::: "memory");
    }
}

// The time is the library's, not the loop's: total, with almost no self time.
KERNEL void library(void) {
    for (int i = 0; i < N; i++) // LOOP name=library class=math-call
        x[i] = exp(-y[i]);
}

static void run_in_order(void) { x[0] = in_order(); }

struct phase {
    const char *name;
    void (*work)(void);
    double share;
    double seconds;
};

int main(int argc, char **argv) {
    double seconds = argc > 1 ? strtod(argv[1], 0) : 2.0;
    if (!(seconds > 0 && seconds < 3600)) {
        fprintf(stderr, "usage: %s [SECONDS]\n", argv[0]);
        return 2;
    }
    struct phase phases[] = {
        {"triad", triad, 0.35, 0},   {"recurrence", recurrence, 0.25, 0}, {"in_order", run_in_order, 0.15, 0},
        {"generator", generator, 0.10, 0}, {"divide", divide, 0.10, 0},   {"library", library, 0.05, 0},
    };
    int count = (int)(sizeof phases / sizeof *phases);
    for (int i = 0; i < N; i++) {
        y[i] = (i * 37 % 101) / 101.0;
        z[i] = (i * 61 % 89) / 89.0;
    }
    for (int slice = 0; slice < SLICES; slice++)
        for (int p = 0; p < count; p++) {
            double start = cpu_seconds(), now = start;
            double end = start + seconds * phases[p].share / SLICES;
            while (now < end) {
                phases[p].work();
                now = cpu_seconds();
            }
            phases[p].seconds += now - start;
        }
    double total = 0;
    for (int p = 0; p < count; p++) total += phases[p].seconds;
    for (int p = 0; p < count; p++) printf("phase %s %.6f %.4f\n", phases[p].name, phases[p].seconds, phases[p].seconds / total);
    printf("total %.6f\n", total);
    return x[N / 2] < -1 || state == 0;
}
