// PROGRAM
//
// The STREAM kernels and a dot product. Usage: stream [expect] [N] [REPETITIONS].

#include "expect.h"

KERNEL void stream_copy(double *c, const double *a, long n) {
    KEEP;
    for (long i = 0; i < n; i++) c[i] = a[i]; // LOOP name=copy class=copy
}
KERNEL void stream_scale(double *b, const double *c, double s, long n) {
    KEEP;
    for (long i = 0; i < n; i++) b[i] = s * c[i]; // LOOP name=scale class=fp-map
}
KERNEL void stream_add(double *c, const double *a, const double *b, long n) {
    KEEP;
    for (long i = 0; i < n; i++) c[i] = a[i] + b[i]; // LOOP name=add class=fp-map
}
KERNEL void stream_triad(double *a, const double *b, const double *c, double s, long n) {
    KEEP;
    for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i]; // LOOP name=triad class=fp-map
}
KERNEL double stream_dot(const double *a, const double *b, long n) {
    KEEP;
    double sum = 0;
    for (long i = 0; i < n; i++) sum += a[i] * b[i]; // LOOP name=dot class=fp-reduction
    return sum;
}

// One loop of n iterations per call. An iteration moves 8 bytes per array named in it and does the FLOP written:
// copy 0, scale 1, add 1, triad 2, dot 2. Copy may become a call of memcpy: its loop promises nothing.
static void expect(long n, long r) {
    struct {
        const char *name;
        long flop, loads, stores;
    } k[] = {{"scale", 1, 1, 1}, {"add", 1, 2, 1}, {"triad", 2, 2, 1}, {"dot", 2, 2, 0}};
    printf("function stream_copy calls=%ld f64=0\n", r);
    for (int i = 0; i < 4; i++) {
        printf("function stream_%s calls=%ld f64=%ld\n", k[i].name, r, k[i].flop * n * r);
        printf("loop %s entries=%ld iterations=%ld min=%ld max=%ld loaded=%ld stored=%ld\n", k[i].name, r, n * r, n, n,
               8 * k[i].loads * n * r, 8 * k[i].stores * n * r);
    }
}

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long n = argument(argc, argv, 1, 1003), r = argument(argc, argv, 2, 10);
    if (ask) return expect(n, r), 0;
    double *a = malloc(sizeof *a * (size_t)n), *b = malloc(sizeof *b * (size_t)n), *c = malloc(sizeof *c * (size_t)n);
    if (!a || !b || !c) return 1;
    for (long i = 0; i < n; i++) a[i] = (double)(i % 17) / 16, b[i] = 2, c[i] = 0;
    double sum = 0;
    for (long k = 0; k < r; k++) {
        stream_copy(c, a, n);
        stream_scale(b, c, 0.25, n);
        stream_add(c, a, b, n);
        stream_triad(a, b, c, 0.25, n);
        sum += stream_dot(a, c, n);
    }
    printf("sum %.17g\n", sum);
    free(a), free(b), free(c);
    return 0;
}
