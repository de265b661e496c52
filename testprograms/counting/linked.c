// PROGRAM
//
// Uses the kernels of `plugin`, which its recipe links. Usage: linked [expect] [N].

#include "expect.h"

EXTERN double plugin_dot(const double *a, const double *b, long n);
EXTERN double plugin_apply(const double *a, long n, double (*function)(double));

KERNEL double halve(double x) {
    KEEP;
    return 0.5 * x;
}

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long n = argument(argc, argv, 1, 500);
    if (ask) {
        printf("function halve calls=%ld f64=%ld\n", n, n);
        printf("function plugin_dot calls=2 f64=%ld\nloop plugin_dot entries=2 iterations=%ld\n", 4 * n, 2 * n);
        printf("function plugin_apply calls=1 f64=%ld\nloop plugin_apply entries=1 iterations=%ld\n", n, n);
        return 0;
    }
    double *a = malloc(sizeof *a * (size_t)n);
    if (!a) return 1;
    for (long i = 0; i < n; i++) a[i] = (double)(i % 5);
    double once = plugin_dot(a, a, n), again = plugin_dot(a, a, n);
    printf("dot %.17g %.17g apply %.17g\n", once, again, plugin_apply(a, n, halve));
    return 0;
}
