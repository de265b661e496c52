// PROGRAM links=-lm compilers=gcc,clang
//
// Loop-carried scalars, and scalars that only look so.

#include "verdicts.h"

KERNEL void wrapped(float *a, const float *b, long n) {
    float x = b[n - 1];
    for (long i = 0; i < n; i++) { // LOOP name=wrapped class=recurrence parallel=no
        a[i] = (b[i] + x) * .5f;
        x = b[i];
    }
}
KERNEL void wrapped_twice(float *a, const float *b, long n) {
    float x = b[n - 1], y = b[n - 2];
    for (long i = 0; i < n; i++) { // LOOP name=wrapped_twice class=recurrence parallel=no
        a[i] = (b[i] + x + y) * .333f;
        y = x;
        x = b[i];
    }
}
// The index of the neighbour goes round.
KERNEL void wrapped_index(double *restrict a, const double *restrict b, long n) {
    long before = n - 1;
    for (long i = 0; i < n; i++) { // LOOP name=wrapped_index class=recurrence parallel=no
        a[i] = (b[i] + b[before]) * .5;
        before = i;
    }
}
KERNEL void differences(double *restrict a, const double *restrict b, long n, double first) {
    double before = first;
    for (long i = 0; i < n; i++) { // LOOP name=differences class=recurrence parallel=no
        a[i] = b[i] - before;
        before = b[i];
    }
}
KERNEL void prefix_sum(double *restrict a, const double *restrict b, long n) {
    double s = 0;
    for (long i = 0; i < n; i++) { // LOOP name=prefix_sum class=scan parallel=no
        s += b[i];
        a[i] = s;
    }
}
KERNEL void running_maximum(double *restrict a, const double *restrict b, long n) {
    double m = b[0];
    for (long i = 0; i < n; i++) { // LOOP name=running_maximum class=scan parallel=no
        m = b[i] > m ? b[i] : m;
        a[i] = m;
    }
}
KERNEL double horner(const double *c, long n, double x) {
    double s = 0;
    for (long i = 0; i < n; i++) // LOOP name=horner class=recurrence parallel=no
        s = s * x + c[i];
    return s;
}
KERNEL void generator(unsigned *a, long n, unsigned seed) {
    for (long i = 0; i < n; i++) { // LOOP name=generator class=recurrence parallel=no
        seed = seed * 1103515245u + 12345u;
        a[i] = seed >> 16;
    }
}
KERNEL void smoothed(double *restrict a, const double *restrict b, long n, double f) {
    double s = b[0];
    for (long i = 0; i < n; i++) { // LOOP name=smoothed class=recurrence parallel=no
        s = f * s + (1 - f) * b[i];
        a[i] = s;
    }
}
KERNEL unsigned checksum(const unsigned char *p, long n) {
    unsigned h = 2166136261u;
    for (long i = 0; i < n; i++) // LOOP name=checksum class=recurrence parallel=no
        h = (h ^ p[i]) * 16777619u;
    return h;
}
KERNEL unsigned adler(const unsigned char *p, long n) {
    unsigned a = 1, b = 0;
    for (long i = 0; i < n; i++) { // LOOP name=adler class=recurrence parallel=no
        a += p[i];
        b += a;
    }
    return b << 16 | (a & 0xffff);
}
KERNEL long packed(double *restrict out, const double *restrict x, long n) {
    long k = 0;
    for (long i = 0; i < n; i++) // LOOP name=packed class=recurrence parallel=no
        if (x[i] > 1.5)
            out[k++] = x[i];
    return k;
}
KERNEL void unpacked(double *restrict out, const double *restrict x, const int *mask, long n) {
    long k = 0;
    for (long i = 0; i < n; i++) // LOOP name=unpacked class=recurrence parallel=no
        if (mask[i] & 1)
            out[i] = x[k++];
}
KERNEL long merged(int *restrict out, const int *a, const int *b, long n) {
    long i = 0, j = 0;
    for (long k = 0; k < n; k++) // LOOP name=merged class=recurrence parallel=no
        out[k] = a[i] <= b[j] ? a[i++] : b[j++];
    return i;
}
KERNEL void fibonacci(unsigned long *a, long n) {
    unsigned long x = 0, y = 1;
    for (long i = 0; i < n; i++) { // LOOP name=fibonacci class=recurrence parallel=no
        a[i] = x;
        unsigned long t = x + y;
        x = y;
        y = t;
    }
}
KERNEL int parity_machine(const unsigned char *p, long n) {
    int state = 0;
    for (long i = 0; i < n; i++) { // LOOP name=parity_machine class=recurrence parallel=no
        switch (state) {
        case 0: state = p[i] & 1 ? 1 : 0; break;
        case 1: state = p[i] & 2 ? 2 : 0; break;
        default: state = p[i] & 4 ? 0 : 1;
        }
    }
    return state;
}
KERNEL void toggled(double *a, long n) {
    double sign = 1;
    for (long i = 0; i < n; i++) { // LOOP name=toggled class=recurrence parallel=no
        a[i] *= sign;
        sign = -sign;
    }
}
KERNEL void powers(double *a, long n, double f) {
    double p = 1;
    for (long i = 0; i < n; i++) { // LOOP name=powers class=recurrence parallel=no
        a[i] = a[i] * p;
        p *= f;
    }
}
// The last value seen stays in use.
KERNEL void held(double *restrict a, const double *restrict b, long n) {
    double last = 0;
    for (long i = 0; i < n; i++) { // LOOP name=held class=recurrence parallel=no
        if (b[i] > 1)
            last = b[i];
        a[i] = last;
    }
}
KERNEL void spilled_recurrence(double *o, const double *a, const double *b, const double *c, const double *d, const double *e,
                               const double *f, const double *g, long n) {
    double p = 1, q = 2, r = 3, s = 4, t = 5, u = 6, v = 7, w = 8, x = 9, y = 10, z = 11, p2 = 12, q2 = 13, r2 = 14, s2 = 15, t2 = 16,
           u2 = 17, v2 = 18;
    for (long i = 0; i < n; i++) { // LOOP name=spilled_recurrence class=recurrence parallel=no
        p = p * .5 + a[i], q = q * .5 + b[i], r = r * .5 + c[i], s = s * .5 + d[i], t = t * .5 + e[i];
        u = u * .5 + f[i], v = v * .5 + g[i], w = w * .5 + p, x = x * .5 + q, y = y * .5 + r, z = z * .5 + s;
        p2 = p2 * .5 + t, q2 = q2 * .5 + u, r2 = r2 * .5 + v, s2 = s2 * .5 + w, t2 = t2 * .5 + x;
        u2 = u2 * .5 + y, v2 = v2 * .5 + z;
        o[i] = p2 + q2 + r2 + s2 + t2 + u2 + v2;
    }
}

// From here on: temporaries that every iteration computes anew.
KERNEL void temporary(double *a, const double *b, long n) {
    double t;
    for (long i = 0; i < n; i++) { // LOOP name=temporary class=fp-map parallel=yes
        t = b[i] * 2;
        a[i] = t * t + t;
    }
}
KERNEL void temporary_on_a_way(double *a, const double *b, long n) {
    double t = 0;
    for (long i = 0; i < n; i++) { // LOOP name=temporary_on_a_way class=fp-map parallel=yes
        if (b[i] > 1)
            t = b[i];
        else
            t = -b[i];
        a[i] = t;
    }
}
KERNEL void swapped(double *a, double *b, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=swapped class=fp-map parallel=yes
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}
static double module_temporary;
KERNEL void temporary_in_global(double *restrict a, const double *restrict b, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=temporary_in_global class=fp-map parallel=yes
        module_temporary = b[i] * 2;
        a[i] = module_temporary + 1;
    }
}
KERNEL void temporary_array(double *restrict a, const double *restrict b, long n) {
    double t[4];
    for (long i = 0; i < n; i++) { // LOOP name=temporary_array class=fp-map parallel=yes
        for (int k = 0; k < 4; k++)
            t[k] = b[i] * (double)(k + 1);
        a[i] = t[0] * t[3] - t[1] * t[2];
    }
}
KERNEL void toggled_by_index(double *a, long n) {
    for (long i = 0; i < n; i++) // LOOP name=toggled_by_index class=fp-map parallel=yes
        a[i] *= i & 1 ? -1 : 1;
}
KERNEL void counted_angle(double *a, long n, double step) {
    for (long i = 0; i < n; i++) { // LOOP name=counted_angle class=fp-map parallel=yes
        double angle = (double)i * step;
        a[i] = angle * angle;
    }
}

int main(void) {
    long n = n_volatile;
    static double a[N], b[N], c[N + 1], o[N];
    static float f[N], g[N];
    static int k[2 * N], l[N];
    static unsigned u[N];
    static unsigned long w[N];
    static unsigned char p[N];
    fill(a, N, 1), fill(b, N, 1), fill(c, N, 0), fill_int(k, 2 * N, 97);
    for (int i = 0; i < N; i++)
        g[i] = (float)b[i], p[i] = (unsigned char)(i * 31), k[i] = i, k[N + i] = i + 1;
    double s = 0;
    for (int round = 0; round < 2; round++) {
        wrapped(f, g, n), wrapped_twice(f, g, n), wrapped_index(a, b, n), differences(a, b, n, 1);
        prefix_sum(a, b, n), running_maximum(a, b, n), generator(u, n, 7), smoothed(o, b, n, 0.5);
        s += horner(c, n, 0.5) + checksum(p, n) % 1000 + adler(p, n) % 1000 + (double)packed(a, b, n);
        unpacked(a, b, k, n), fibonacci(w, n), toggled(a, n), powers(a, n, 0.99), held(a, b, n);
        s += (double)merged(l, k, k + N, n) + parity_machine(p, n);
        spilled_recurrence(o, a, b, c, a, b, c, a, n);
        temporary(a, b, n), temporary_on_a_way(a, b, n), swapped(a, b, n), temporary_in_global(a, b, n);
        temporary_array(a, b, n), toggled_by_index(a, n), counted_angle(c, n, 0.1);
    }
    printf("%.6f %.6f %f %u %lu %d\n", s + sum(a, N), sum(o, N), f[5], u[5], w[50], l[9]);
}
