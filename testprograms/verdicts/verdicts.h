// Common code of this folder's programs: kernels that no compiler inlines or analyses from outside.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define KERNEL __attribute__((noinline))
#else
#define KERNEL __attribute__((noipa))
#endif

// Trip counts are not known to the compiler, and not a multiple of a vector's length.
static volatile long n_volatile = 203, rows_volatile = 23, columns_volatile = 37;
#define N 203
#define ROWS 23
#define COLUMNS 37

static inline void fill(double *x, long n, double from) {
    for (long i = 0; i < n; i++)
        x[i] = from + (double)((i * 37) % 101) / 64;
}
static inline void fill_int(int *x, long n, int modulo) {
    for (long i = 0; i < n; i++)
        x[i] = (int)((i * 37 + 11) % modulo);
}
static inline double sum(const double *x, long n) {
    double s = 0;
    for (long i = 0; i < n; i++)
        s += x[i];
    return s;
}
