// PROGRAM
//
// Kernels for a shared library: built with `-shared -fPIC`, opened by `opener` or linked into `linked`. It has a main
// of its own so that it can be built as a program too.

#include "expect.h"

KERNEL double plugin_dot(const double *a, const double *b, long n) {
    KEEP;
    double sum = 0;
    for (long i = 0; i < n; i++) // LOOP name=plugin_dot class=fp-reduction
        sum += a[i] * b[i];
    return sum;
}
// Calls back into the program that opened the library.
KERNEL double plugin_apply(const double *a, long n, double (*function)(double)) {
    KEEP;
    double sum = 0;
    for (long i = 0; i < n; i++) // LOOP name=plugin_apply class=call
        sum += function(a[i]);
    return sum;
}

#if !defined __PIC__ || defined __PIE__
int main(void) {
    double a[4] = {1, 2, 3, 4};
    return plugin_dot(a, a, 4) != 30;
}
#endif
