// PROGRAM links=-lm compilers=gcc,clang
//
// Loops whose iterations may run in any order, in the shapes that compilers make of them.

#include "verdicts.h"

struct point { double x, y, z; int tag; };

KERNEL void copy_scaled(double *restrict a, const double *restrict b, long n) {
    for (long i = 0; i < n; i++) // LOOP name=copy_scaled class=fp-map parallel=yes
        a[i] = b[i] * 1.5;
}
KERNEL void add_may_alias(double *a, const double *b, const double *c, long n) {
    for (long i = 0; i < n; i++) // LOOP name=add_may_alias class=fp-map parallel=yes
        a[i] = b[i] + c[i];
}
KERNEL void in_place(double *a, long n) {
    for (long i = 0; i < n; i++) // LOOP name=in_place class=fp-map parallel=yes
        a[i] = a[i] * a[i] + 1;
}
KERNEL void axpy(double *y, const double *x, double f, long n) {
    for (long i = 0; i < n; i++) // LOOP name=axpy class=fp-map parallel=yes
        y[i] += f * x[i];
}
KERNEL void backwards(double *restrict a, const double *restrict b, long n) {
    for (long i = n - 1; i >= 0; i--) // LOOP name=backwards class=fp-map parallel=yes
        a[i] = b[n - 1 - i] - 2;
}
KERNEL void strided(double *a, long n) {
    for (long i = 0; i < n; i += 3) // LOOP name=strided class=strided parallel=yes
        a[i] = a[i] / 3 + 1;
}
KERNEL void variable_stride(double *a, long n, long step) {
    for (long i = 0; i < n; i += step) // LOOP name=variable_stride class=strided parallel=yes
        a[i] = a[i] + 1;
}
KERNEL void stencil(double *restrict v, const double *restrict u, long n) {
    for (long i = 1; i < n - 1; i++) // LOOP name=stencil class=fp-map parallel=yes
        v[i] = (u[i - 1] + u[i] + u[i + 1]) / 3;
}
KERNEL void stencil_wide(double *v, const double *u, long n) {
    for (long i = 3; i < n - 3; i++) // LOOP name=stencil_wide class=fp-map parallel=yes
        v[i] = u[i - 3] + u[i - 2] * 2 + u[i - 1] * 3 + u[i] * 4 + u[i + 1] * 3 + u[i + 2] * 2 + u[i + 3];
}
KERNEL void stencil_float(float *restrict v, const float *restrict u, long n) {
    for (long i = 1; i < n - 1; i++) // LOOP name=stencil_float class=fp-map parallel=yes
        v[i] = u[i - 1] * .25f + u[i] * .5f + u[i + 1] * .25f;
}
KERNEL void clamped(int *a, const int *b, long n) {
    for (long i = 0; i < n; i++) // LOOP name=clamped class=int-map parallel=yes
        a[i] = b[i] > 40 ? 40 : b[i];
}
KERNEL void conditional(double *a, const double *b, long n) {
    for (long i = 0; i < n; i++) // LOOP name=conditional class=conditional-store parallel=yes
        if (b[i] > 0.5)
            a[i] = b[i] * b[i];
}
KERNEL void two_ways(double *a, const double *b, const int *k, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=two_ways class=conditional-store parallel=yes
        if (k[i] & 1)
            a[i] = b[i] + 1;
        else if (k[i] & 2)
            a[i] = b[i] * 3;
        else
            a[i] = 0;
    }
}
KERNEL void switched(int *a, const int *k, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=switched class=switch parallel=yes
        switch (k[i] % 7) {
        case 0: a[i] = k[i] + 5; break;
        case 1: a[i] = k[i] * 3; break;
        case 2: a[i] = -k[i]; break;
        case 3: a[i] ^= 0x55; break;
        case 4: a[i] = a[i] / 3; break;
        default: a[i] = 1;
        }
    }
}
KERNEL void skipping(double *a, const int *k, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=skipping class=conditional-store parallel=yes
        if (k[i] == 3)
            continue;
        a[i] += k[i];
    }
}
KERNEL void structures(struct point *p, double f, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=structures class=strided parallel=yes
        p[i].x = p[i].y * f;
        p[i].z = p[i].x + p[i].tag;
    }
}
KERNEL void structure_moved(struct point *restrict p, const struct point *restrict q, long n) {
    for (long i = 0; i < n; i++) // LOOP name=structure_moved class=copy parallel=yes
        p[i] = q[i];
}
KERNEL void gathered(double *restrict a, const double *restrict b, const int *restrict at, long n) {
    for (long i = 0; i < n; i++) // LOOP name=gathered class=gather parallel=yes
        a[i] = b[at[i]];
}
KERNEL void converted(float *restrict a, const double *restrict b, long n) {
    for (long i = 0; i < n; i++) // LOOP name=converted class=conversion parallel=yes
        a[i] = (float)b[i] * 2;
}
KERNEL void bytes(unsigned char *restrict a, const unsigned char *restrict b, long n) {
    for (long i = 0; i < n; i++) // LOOP name=bytes class=int-map parallel=yes
        a[i] = (unsigned char)((b[i] * 77 + 128) >> 8);
}
KERNEL void pixels(unsigned char *restrict grey, const unsigned char *restrict rgb, long n) {
    for (long i = 0; i < n; i++) // LOOP name=pixels class=strided parallel=yes
        grey[i] = (unsigned char)((rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8);
}
KERNEL void pointers(double *a, const double *b, long n) {
    const double *end = b + n;
    while (b != end) // LOOP name=pointers class=fp-map parallel=yes
        *a++ = *b++ + 7;
}
KERNEL void count_down(double *a, const double *b, long n) {
    while (n-- > 0) // LOOP name=count_down class=fp-map parallel=yes
        a[n] = b[n] * 9;
}
KERNEL void do_while(double *a, long n) {
    long i = 0;
    do { // LOOP name=do_while class=fp-map parallel=yes
        a[i] = a[i] - 1;
        i++;
    } while (i < n);
}
KERNEL void roots(double *a, const double *b, long n) {
    for (long i = 0; i < n; i++) // LOOP name=roots class=math-call parallel=yes
        a[i] = sqrt(fabs(b[i])) + floor(b[i]);
}
KERNEL void exponentials(double *a, const double *b, long n) {
    for (long i = 0; i < n; i++) // LOOP name=exponentials class=math-call parallel=yes
        a[i] = exp(-b[i]);
}
KERNEL double squared_distance(const struct point *p, const struct point *q) {
    double x = p->x - q->x, y = p->y - q->y, z = p->z - q->z;
    return x * x + y * y + z * z;
}
KERNEL void with_call(double *a, const struct point *p, long n) {
    for (long i = 1; i < n; i++) // LOOP name=with_call class=call parallel=yes
        a[i] = squared_distance(&p[i], &p[0]);
}
KERNEL void induction_pair(double *a, const double *b, long n) {
    long k = 0;
    for (long i = 0; i < n; i++, k += 2) // LOOP name=induction_pair class=strided parallel=yes
        a[i] = b[k] + b[k + 1] + (double)k;
}
KERNEL void derived(double *a, long n) {
    for (long i = 0; i < n; i++) // LOOP name=derived class=fp-map parallel=yes
        a[i] = (double)(i * i) / (double)(i + 1);
}
KERNEL void bound_in_memory(double *a, const double *b, const long *n) {
    for (long i = 0; i < *n; i++) // LOOP name=bound_in_memory class=fp-map parallel=yes
        a[i] = b[i] + 4;
}
struct grid { long n; double *values; double factor; };
KERNEL void members(struct grid *g) {
    for (long i = 0; i < g->n; i++) // LOOP name=members class=fp-map parallel=yes
        g->values[i] = g->values[i] * g->factor;
}
KERNEL void two_bounds(double *a, const double *b, long n, long m) {
    for (long i = 0; i < n && i < m; i++) // LOOP name=two_bounds class=fp-map parallel=yes
        a[i] = b[i] * 5;
}

int main(void) {
    long n = n_volatile;
    static double a[2 * N], b[2 * N], c[2 * N];
    static float f[N], g[N];
    static int k[N], l[N], at[N];
    static unsigned char u[N], v[3 * N];
    static struct point p[N], q[N];
    fill(a, 2 * N, 1), fill(b, 2 * N, 0), fill(c, 2 * N, 2);
    fill_int(k, N, 97), fill_int(at, N, N);
    for (int i = 0; i < 3 * N; i++)
        v[i] = (unsigned char)(i * 7);
    for (int i = 0; i < N; i++)
        p[i] = q[i] = (struct point){ b[i], a[i], c[i], i }, g[i] = (float)b[i];
    struct grid grid = { n, a, 1.25 };
    for (int round = 0; round < 2; round++) {
        copy_scaled(a, b, n), add_may_alias(a, b, c, n), in_place(a, n), axpy(a, b, 0.5, n);
        backwards(a, b, n), strided(a, n), variable_stride(a, n, 2 + round), stencil(a, b, n);
        stencil_wide(a, b, n), stencil_float(f, g, n), clamped(l, k, n), conditional(a, b, n);
        two_ways(a, b, k, n), switched(l, k, n), skipping(a, k, n), structures(p, 0.5, n);
        structure_moved(p, q, n), gathered(a, b, at, n), converted(f, b, n), bytes(u, v, n), pixels(u, v, n);
        pointers(a, b, n), count_down(a, b, n), do_while(a, n), roots(a, b, n), exponentials(c, b, n);
        with_call(a, p, n), induction_pair(a, b, n), derived(c, n), bound_in_memory(a, b, &n), members(&grid);
        two_bounds(a, b, n, n - 20);
    }
    printf("%.6f %d %d %f\n", sum(a, N) + sum(c, N) + p[5].z, l[7], u[9], f[3]);
}
