/* Loops as larger programs have them: several statements, structures of arrays and arrays of structures, short and complex
 * elements, conditions, early exits, triangles, gathers and scatters. For holding iterations as written against the truth;
 * marks and form as in loops.c. */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TRUTH
static unsigned long truth[1000];
#define IT truth[__LINE__]++;
#else
#define IT
#endif
#define NI __attribute__((noinline))

struct particle { double x[3], v[3]; int cell; };
struct fields { float *density, *energy, *pressure; int n; };
enum { BINS = 32 };

NI void equation_of_state(struct fields *f, float gamma) {
    for (int i = 0; i < f->n; i++) { IT
        float rho = f->density[i], e = f->energy[i];
        f->pressure[i] = (gamma - 1) * rho * e;
        if (f->pressure[i] < 1e-3f) f->pressure[i] = 1e-3f; }
}
NI void drift(struct particle *p, int n, double dt) {
    for (int i = 0; i < n; i++) { IT
        for (int d = 0; d < 3; d++) { IT
            p[i].x[d] += dt * p[i].v[d]; } }
}
NI double kinetic(const struct particle *p, int n) {
    double e = 0;
    for (int i = 0; i < n; i++) { IT
        e += p[i].v[0] * p[i].v[0] + p[i].v[1] * p[i].v[1] + p[i].v[2] * p[i].v[2]; }
    return 0.5 * e;
}
NI void deposit(double *grid, const struct particle *p, int n) {
    for (int i = 0; i < n; i++) { IT
        grid[p[i].cell] += 1.5; }
}
NI void histogram(int *bins, const float *v, int n) {
    for (int i = 0; i < n; i++) { IT
        int b = (int)(v[i] * 4);
        bins[b & (BINS - 1)]++; }
}
NI void gather(double *restrict out, const double *restrict in, const int *restrict index, int n) {
    for (int i = 0; i < n; i++) { IT
        out[i] = in[index[i]] * 0.5; }
}
NI void scatter(double *restrict out, const double *restrict in, const int *restrict index, int n) {
    for (int i = 0; i < n; i++) { IT
        out[index[i]] = in[i]; }
}
NI void rotate(float complex *z, int n, float complex w) {
    for (int i = 0; i < n; i++) { IT
        z[i] *= w; }
}
NI float masked_mean(const float *a, const uint8_t *mask, int n) {
    float s = 0;
    int c = 0;
    for (int i = 0; i < n; i++) { IT
        if (mask[i]) { s += a[i]; c++; } }
    return c ? s / c : 0;
}
NI int16_t peak(const int16_t *a, int n) {
    int16_t m = 0;
    for (int i = 0; i < n; i++) { IT
        int16_t v = a[i] < 0 ? -a[i] : a[i];
        if (v > m) m = v; }
    return m;
}
NI int first_above(const double *a, int n, double level) {
    int i = 0;
    while (i < n) { IT
        if (a[i] > level) break;
        i++; }
    return i;
}
NI void cholesky(double *a, int n) {
    for (int j = 0; j < n; j++) { IT
        double d = a[j * n + j];
        for (int k = 0; k < j; k++) { IT
            d -= a[j * n + k] * a[j * n + k]; }
        a[j * n + j] = d = sqrt(fabs(d) + 1);
        for (int i = j + 1; i < n; i++) { IT
            double s = a[i * n + j];
            for (int k = 0; k < j; k++) { IT
                s -= a[i * n + k] * a[j * n + k]; }
            a[i * n + j] = s / d; }
    }
}
NI void prefix(int *out, const int *in, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { IT
        s += in[i];
        out[i] = s; }
}
NI void downsample(float *restrict out, const float *restrict in, int n) {
    for (int i = 0; i < n; i++) { IT
        out[i] = 0.25f * (in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3]); }
}
NI void reverse(double *a, int n) {
    for (int i = 0, j = n - 1; i < j; i++, j--) { IT
        double t = a[i];
        a[i] = a[j];
        a[j] = t; }
}
NI void heat3d(double *restrict out, const double *restrict in, int n) {
    for (int i = 1; i < n - 1; i++) { IT
        for (int j = 1; j < n - 1; j++) { IT
            for (int k = 1; k < n - 1; k++) { IT
                const double *c = in + (i * n + j) * n + k;
                out[(i * n + j) * n + k] = c[0] + 0.1 * (c[1] + c[-1] + c[n] + c[-n] + c[n * n] + c[-n * n] - 6 * c[0]); } } }
}
NI void normalise(double *m, int rows, int columns) {
    for (int r = 0; r < rows; r++) { IT
        double s = 0;
        for (int c = 0; c < columns; c++) { IT
            s += m[r * columns + c] * m[r * columns + c]; }
        s = 1 / sqrt(s + 1);
        for (int c = 0; c < columns; c++) { IT
            m[r * columns + c] *= s; } }
}
NI unsigned gcd_sum(const unsigned *a, int n) {
    unsigned s = 0;
    for (int i = 1; i < n; i++) { IT
        unsigned x = a[i - 1], y = a[i];
        while (y) { IT
            unsigned t = x % y;
            x = y;
            y = t; }
        s += x; }
    return s;
}
NI void convert(double *restrict out, const int *restrict in, int n) {
    for (int i = n - 1; i >= 0; i--) { IT
        out[i] = in[i] * 0.125 + 1; }
}
NI void softmax(float *a, int n) {
    float m = a[0], s = 0;
    for (int i = 1; i < n; i++) { IT m = fmaxf(m, a[i]); }
    for (int i = 0; i < n; i++) { IT
        a[i] = expf(a[i] - m);
        s += a[i]; }
    for (int i = 0; i < n; i++) { IT a[i] /= s; }
}
NI long count_char(const char *s, char c) {
    long n = 0;
    do { IT
        n += *s == c;
    } while (*s++);
    return n;
}

static struct particle particles[700];
static float f1[4200], f2[4200], f3[4200];
static double d1[8000], d2[8000], matrix[40 * 40];
static int i1[4200], i2[4200], bins[BINS];
static unsigned u1[400];
static int16_t s1[4000];
static uint8_t m1[4000];
static float complex z1[1200];
static char text[1500];
static volatile double sink;

static void run(int n) {
    struct fields fields = { f1, f2, f3, n };
    equation_of_state(&fields, 1.4f);
    drift(particles, n < 700 ? n : 690, 0.1);
    sink = kinetic(particles, n < 700 ? n : 691);
    deposit(d1, particles, n < 700 ? n : 692);
    histogram(bins, f1, n); gather(d1, d2, i1, n); scatter(d2, d1, i1, n);
    rotate(z1, n, 0.6f + 0.8f * I); sink += masked_mean(f1, m1, n) + peak(s1, n) + first_above(d1, n, 90);
    cholesky(matrix, n % 40); prefix(i2, i1, n); downsample(f3, f1, n); reverse(d1, n);
    heat3d(d1, d2, n % 19 + 1); normalise(matrix, 17, n % 90); sink += gcd_sum(u1, n < 400 ? n : 399);
    convert(d1, i1, n); softmax(f2, n); sink += count_char(text, 'c');
}

int main(void) {
    for (int i = 0; i < 700; i++) {
        for (int d = 0; d < 3; d++) particles[i].x[d] = particles[i].v[d] = (i + d) % 7 * 0.1;
        particles[i].cell = i * 13 % 100;
    }
    for (int i = 0; i < 4200; i++) { f1[i] = f2[i] = f3[i] = i % 31 * 0.1f; i1[i] = (i * 37 + 11) % 991; }
    for (int i = 0; i < 8000; i++) d1[i] = d2[i] = i % 97;
    for (int i = 0; i < 1600; i++) matrix[i] = i % 23 * 0.1;
    for (int i = 0; i < 400; i++) u1[i] = i * 91 % 1009 + 1;
    for (int i = 0; i < 4000; i++) { s1[i] = i * 31; m1[i] = i % 3 == 0; }
    for (int i = 0; i < 1200; i++) z1[i] = i % 5;
    for (int i = 0; i < 1400; i++) text[i] = 'a' + i % 26;
    run(1003);
    run(518);
    run(31);
#ifdef TRUTH
    for (int i = 0; i < 1000; i++) if (truth[i]) printf("%d %lu\n", i, truth[i]);
#endif
    return 0;
}
