// PROGRAM
//
// Every element type, and stores that happen under a condition. Usage: types [expect] [N].

#include "expect.h"

KERNEL void single_triad(float *a, const float *b, const float *c, float s, long n) {
    KEEP;
    for (long i = 0; i < n; i++) // LOOP name=single_triad class=fp-map
        a[i] = b[i] + s * c[i];
}
KERNEL void divide(double *a, const double *b, double s, long n) {
    KEEP;
    for (long i = 0; i < n; i++) // LOOP name=divide class=fp-map
        a[i] = s / b[i];
}
KERNEL long double extended(const double *a, long n) {
    KEEP;
    long double sum = 0;
    for (long i = 0; i < n; i++) // LOOP name=extended class=fp-reduction
        sum += (long double)a[i] * 3.0L;
    return sum;
}
#ifdef __FLT16_MAX__
// Without native arithmetic each operation is done in single precision.
KERNEL void half_triad(_Float16 *a, const _Float16 *b, const _Float16 *c, _Float16 s, long n) {
    KEEP;
    for (long i = 0; i < n; i++) // LOOP name=half_triad class=fp-map
        a[i] = b[i] + s * c[i];
}
#endif
KERNEL int dot8(const signed char *a, const signed char *b, long n) {
    KEEP;
    int sum = 0;
    for (long i = 0; i < n; i++) // LOOP name=dot8 class=int-reduction
        sum += a[i] * b[i];
    return sum;
}
KERNEL int dot16(const short *a, const short *b, long n) {
    KEEP;
    int sum = 0;
    for (long i = 0; i < n; i++) // LOOP name=dot16 class=int-reduction
        sum += a[i] * b[i];
    return sum;
}
KERNEL int dot32(const int *a, const int *b, long n) {
    KEEP;
    int sum = 0;
    for (long i = 0; i < n; i++) // LOOP name=dot32 class=int-reduction
        sum += a[i] * b[i];
    return sum;
}
KERNEL void store_if(double *a, const double *b, const int *mask, long n) {
    KEEP;
    for (long i = 0; i < n; i++) // LOOP name=store_if class=conditional-store
        if (mask[i]) a[i] = b[i];
}
KERNEL void scale_if(double *a, const int *mask, double s, long n) {
    KEEP;
    for (long i = 0; i < n; i++) // LOOP name=scale_if class=conditional-store
        if (mask[i]) a[i] = a[i] * s;
}
KERNEL float convert(float *a, const double *b, long n) {
    KEEP;
    for (long i = 0; i < n; i++) // LOOP name=convert class=conversion
        a[i] = (float)b[i];
    return a[0];
}

static void expect(long n) {
    printf("function single_triad calls=2 f32=%ld f64=0\nloop single_triad entries=2 iterations=%ld loaded=%ld stored=%ld\n",
           4 * n, 2 * n, 16 * n, 8 * n);
    printf("function divide calls=1 f64=%ld\nloop divide entries=1 iterations=%ld loaded=%ld stored=%ld\n", n, n, 8 * n, 8 * n);
    printf("function extended calls=1 f80=%ld f64=0\nloop extended entries=1 iterations=%ld\n", 2 * n, n);
#if defined __FLT16_MAX__ && !defined __AVX512FP16__
    printf("function half_triad calls=1 f32=%ld f16=0\nloop half_triad entries=1 iterations=%ld\n", 2 * n, n);
#elif defined __FLT16_MAX__
    printf("function half_triad calls=1 f16=%ld\n", 2 * n);
#endif
    for (int bits = 8; bits <= 32; bits *= 2)
        printf("function dot%d calls=1 f64=0 f32=0\nloop dot%d entries=1 iterations=%ld loaded=%ld stored=0\n", bits, bits, n,
               n * bits / 4);
    printf("function store_if calls=1 f64=0\nloop store_if entries=1 iterations=%ld\n", n);
    // Every third element is scaled; a compiler may compute the product of all of them.
    printf("function scale_if calls=1 f64=%ld..%ld\nloop scale_if entries=1 iterations=%ld\n", (n + 2) / 3, n, n);
    printf("function convert calls=1 f64=0 f32=0\nloop convert entries=1 iterations=%ld loaded=%ld stored=%ld\n", n, 8 * n, 4 * n);
}

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long n = argument(argc, argv, 1, 211);
    if (ask) return expect(n), 0;
    size_t count = (size_t)n;
    double *a = calloc(count, sizeof *a), *b = calloc(count, sizeof *b);
    float *fa = calloc(count, sizeof *fa), *fb = calloc(count, sizeof *fb);
    int *ia = calloc(count, sizeof *ia), *mask = calloc(count, sizeof *mask);
    short *sa = calloc(count, sizeof *sa);
    signed char *ca = calloc(count, sizeof *ca);
    if (!a || !b || !fa || !fb || !ia || !mask || !sa || !ca) return 1;
    for (long i = 0; i < n; i++) {
        a[i] = (double)i, b[i] = (double)(i % 9 + 1), fa[i] = (float)i, fb[i] = 0.5f;
        ia[i] = (int)(i % 1000), mask[i] = i % 3 == 0, sa[i] = (short)(i % 500), ca[i] = (signed char)(i % 100);
    }
    single_triad(fa, fb, fa, 0.5f, n);
    single_triad(fb, fa, fa, 0.25f, n);
    divide(a, b, 3.0, n);
    printf("single %.9g divide %.17g extended %.17g\n", (double)fb[n - 1], a[n - 1], (double)extended(a, n));
#ifdef __FLT16_MAX__
    _Float16 *h = calloc(count, sizeof *h);
    for (long i = 0; i < n; i++) h[i] = (_Float16)(float)(i % 16);
    half_triad(h, h, h, (_Float16)0.5f, n);
    printf("half %g\n", (double)(float)h[n - 1]);
#endif
    printf("dots %d %d %d\n", dot8(ca, ca, n), dot16(sa, sa, n), dot32(ia, ia, n));
    store_if(b, a, mask, n);
    scale_if(b, mask, 1.5, n);
    printf("conditional %.17g %.17g convert %.9g\n", b[0], b[n - 1], (double)convert(fa, b, n));
    return 0;
}
