// PROGRAM links=-ldl
//
// Opens a kernel library, calls it, closes it and opens it again. Usage: opener [expect] LIBRARY [N].

#include "expect.h"
#include <dlfcn.h>

KERNEL double thrice(double x) {
    KEEP;
    return 3 * x;
}

enum { TIMES = 3 };

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long n = argument(argc, argv, 2, 500);
    if (ask) {
        printf("function thrice calls=%ld f64=%ld\n", TIMES * n, TIMES * n);
        printf("function plugin_dot calls=%d f64=%ld\n", TIMES, TIMES * 2 * n);
        printf("loop plugin_dot entries=%d iterations=%ld min=%ld max=%ld\n", TIMES, TIMES * n, n, n);
        printf("function plugin_apply calls=%d f64=%ld\n", TIMES, TIMES * n);
        printf("loop plugin_apply entries=%d iterations=%ld\n", TIMES, TIMES * n);
        return 0;
    }
    if (argc < 2) return 2;
    double *a = malloc(sizeof *a * (size_t)n);
    if (!a) return 1;
    for (long i = 0; i < n; i++) a[i] = (double)(i % 5);
    for (int k = 0; k < TIMES; k++) {
        void *library = dlopen(argv[1], k & 1 ? RTLD_LAZY : RTLD_NOW);
        if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
        double (*dot)(const double *, const double *, long) =
            (double (*)(const double *, const double *, long))dlsym(library, "plugin_dot");
        double (*apply)(const double *, long, double (*)(double)) =
            (double (*)(const double *, long, double (*)(double)))dlsym(library, "plugin_apply");
        if (!dot || !apply) return 1;
        printf("%d dot %.17g apply %.17g\n", k, dot(a, a, n), apply(a, n, thrice));
        dlclose(library);
    }
    return 0;
}
