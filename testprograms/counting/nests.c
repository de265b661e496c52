// PROGRAM
//
// Nests with closed forms: a matrix product, a triangle, a stencil, and a triad so short that entering it is most of
// the work. Usage: nests [expect] [N] [CALLS].

#include "expect.h"

KERNEL void matmul(double *c, const double *a, const double *b, long n) {
    KEEP;
    for (long i = 0; i < n; i++)         // LOOP name=matmul_i class=nest-outer
        for (long j = 0; j < n; j++) {   // LOOP name=matmul_j class=nest-outer
            double sum = 0;
            for (long k = 0; k < n; k++) // LOOP name=matmul_k class=fp-reduction
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
KERNEL void triangle(double *y, const double *a, const double *x, long n) {
    KEEP;
    for (long i = 0; i < n; i++) {        // LOOP name=triangle_i class=nest-outer
        double sum = 0;
        for (long j = 0; j <= i; j++)     // LOOP name=triangle_j class=fp-reduction
            sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}
KERNEL void smooth(double *y, const double *x, long n) {
    KEEP;
    for (long i = 1; i < n - 1; i++) // LOOP name=smooth class=fp-map
        y[i] = (x[i - 1] + x[i] + x[i + 1]) * 0.3;
}
KERNEL void short_triad(double *a, const double *b, const double *c, double s, long n) {
    KEEP;
    for (long i = 0; i < n; i++) // LOOP name=short_triad class=fp-map
        a[i] = b[i] + s * c[i];
}

static void expect(long n, long calls) {
    // matmul: n rows, n*n elements, n*n*n products and sums.
    printf("function matmul calls=1 f64=%ld\n", 2 * n * n * n);
    printf("loop matmul_i entries=1 iterations=%ld min=%ld max=%ld\n", n, n, n);
    printf("loop matmul_j entries=%ld iterations=%ld min=%ld max=%ld\n", n, n * n, n, n);
    printf("loop matmul_k entries=%ld iterations=%ld min=%ld max=%ld loaded=%ld stored=0\n", n * n, n * n * n, n, n,
           16 * n * n * n);
    // triangle: row i has i + 1 products: n(n+1)/2 in all, each with its sum.
    printf("function triangle calls=1 f64=%ld\n", n * (n + 1));
    printf("loop triangle_i entries=1 iterations=%ld\n", n);
    printf("loop triangle_j entries=%ld iterations=%ld min=1 max=%ld\n", n, n * (n + 1) / 2, n);
    // smooth: two sums and a product for the n-2 inner elements.
    printf("function smooth calls=3 f64=%ld\n", 3 * 3 * (n * n - 2));
    printf("loop smooth entries=3 iterations=%ld\n", 3 * (n * n - 2));
    // short_triad: half of the calls with 16, half with 64 elements.
    printf("function short_triad calls=%ld f64=%ld\n", 2 * calls, 2 * calls * (16 + 64));
    printf("loop short_triad entries=%ld iterations=%ld min=16 max=64 loaded=%ld stored=%ld\n", 2 * calls,
           calls * (16 + 64), 16 * calls * 80, 8 * calls * 80);
}

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long n = argument(argc, argv, 1, 19), calls = argument(argc, argv, 2, 100);
    if (ask) return expect(n, calls), 0;
    double *a = malloc(sizeof *a * (size_t)(n * n + 64)), *b = malloc(sizeof *b * (size_t)(n * n + 64)),
           *c = malloc(sizeof *c * (size_t)(n * n + 64));
    if (!a || !b || !c) return 1;
    for (long i = 0; i < n * n + 64; i++) a[i] = (double)(i % 7) / 8, b[i] = (double)(i % 5) / 4, c[i] = 0;
    matmul(c, a, b, n);
    double sum = c[n * n - 1];
    triangle(c, a, b, n);
    sum += c[n - 1];
    for (int k = 0; k < 3; k++) smooth(k & 1 ? a : c, k & 1 ? c : a, n * n);
    sum += c[n];
    for (long k = 0; k < calls; k++) {
        short_triad(a, b, c, 0.5, 16);
        short_triad(b, a, c, 0.5, 64);
        b[k % 64] = 1;
    }
    printf("sum %.17g\n", sum + a[3] + b[5]);
    return 0;
}
