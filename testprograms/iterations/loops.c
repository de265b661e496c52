/* Loops of many shapes, each in a function of its own, for holding iterations as written against the truth.
 *
 * `IT` marks the loop that begins on its line. Built with -DTRUTH it counts the iterations that the source does, and the
 * program prints `line iterations` for each marked line; else it is nothing, and compilers may do as they like. */
#include <complex.h>
#include <math.h>
#include <stddef.h>
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
#define NI __attribute__((noinline, noclone))

enum { N = 1003, K = 1000 };

/* Reductions. */
NI double sum(const double *a, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT s += a[i]; }
    return s; }
NI float sum_constant(const float *a) { float s = 0;
    for (int i = 0; i < K; i++) { IT s += a[i]; }
    return s; }
NI double dot(const double *a, const double *b, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT s += a[i] * b[i]; }
    return s; }
NI double unroll(const double *a, const double *b) { double s = 0;
    for (int i = 0; i < 210; i++) { IT s += a[i] * b[i * 4]; }
    return s; }
NI int sum_int(const int *a, int n) { int s = 0;
    for (int i = 0; i < n; i++) { IT s += a[i]; }
    return s; }
NI int sum_int_constant(const int *a) { int s = 0;
    for (int i = 0; i < 960; i++) { IT s += a[i]; }
    return s; }
NI long sum_int_to_long(const int *a, int n) { long s = 0;
    for (int i = 0; i < n; i++) { IT s += a[i]; }
    return s; }
NI int sum_char_to_int(const signed char *a, int n) { int s = 0;
    for (int i = 0; i < n; i++) { IT s += a[i]; }
    return s; }
NI unsigned sum_bytes(const unsigned char *a, int n) { unsigned s = 0;
    for (int i = 0; i < n; i++) { IT s += a[i]; }
    return s; }
NI int dot_short(const short *a, const short *b, int n) { int s = 0;
    for (int i = 0; i < n; i++) { IT s += a[i] * b[i]; }
    return s; }
NI int sad(const unsigned char *a, const unsigned char *b, int n) { int s = 0;
    for (int i = 0; i < n; i++) { IT s += abs(a[i] - b[i]); }
    return s; }
NI int maximum(const int *a, int n) { int m = a[0];
    for (int i = 1; i < n; i++) { IT if (a[i] > m) m = a[i]; }
    return m; }
NI double maximum_double(const double *a, int n) { double m = a[0];
    for (int i = 1; i < n; i++) { IT m = a[i] > m ? a[i] : m; }
    return m; }
NI int argmax(const float *a, int n) { int at = 0;
    for (int i = 1; i < n; i++) { IT if (a[i] > a[at]) at = i; }
    return at; }
NI double product(const double *a, int n) { double p = 1;
    for (int i = 0; i < n; i++) { IT p *= a[i]; }
    return p; }
NI double two_sums(const double *a, const double *b, int n) { double s = 0, t = 0;
    for (int i = 0; i < n; i++) { IT s += a[i]; t += b[i]; }
    return s - t; }
NI double four_sums(const double *a) { double s = 0, t = 0, u = 0, v = 0;
    for (int i = 0; i < 250; i++) { IT
        s += a[4 * i]; t += a[4 * i + 1]; u += a[4 * i + 2]; v += a[4 * i + 3]; }
    return s + t + u + v; }
NI double step_two_sums(const double *a) { double s = 0, t = 0;
    for (int i = 0; i < K; i += 2) { IT s += a[i]; t += a[i + 1]; }
    return s + t; }
NI double norm(const float *a, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT s += (double)a[i] * a[i]; }
    return s; }
NI int count_equal(const int *a, int x, int n) { int c = 0;
    for (int i = 0; i < n; i++) { IT c += a[i] == x; }
    return c; }
NI unsigned xor_all(const unsigned *a, unsigned n) { unsigned s = 0;
    for (unsigned i = 0; i < n; i++) { IT s ^= a[i]; }
    return s; }
NI int and_constant(const int *a) { int s = -1;
    for (int i = 0; i < 512; i++) { IT s &= a[i]; }
    return s; }
NI double strided_sum(const double *a, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT s += a[3 * i]; }
    return s; }
NI double aos(const double *p, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT s += p[3 * i] * p[3 * i]; }
    return s; }

/* Maps. */
NI void saxpy(float *restrict y, const float *restrict x, float a, int n) {
    for (int i = 0; i < n; i++) { IT y[i] += a * x[i]; } }
NI void daxpy(double *y, const double *x, double a, int n) {
    for (int i = 0; i < n; i++) { IT y[i] += a * x[i]; } }
NI void daxpy_constant(double *restrict y, const double *restrict x, double a) {
    for (int i = 0; i < K; i++) { IT y[i] += a * x[i]; } }
NI void daxpy_odd(double *restrict y, const double *restrict x, double a) {
    for (int i = 0; i < 1001; i++) { IT y[i] += a * x[i]; } }
NI void triad(double *restrict a, const double *restrict b, const double *restrict c, double s, long n) {
    for (long i = 0; i < n; i++) { IT a[i] = b[i] + s * c[i]; } }
NI void add_int(int *restrict a, const int *restrict b, const int *restrict c, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = b[i] + c[i]; } }
NI void add_int_versions(int *a, const int *b, const int *c, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = b[i] + c[i]; } }
NI void add_bytes(unsigned char *restrict a, const unsigned char *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = a[i] + b[i]; } }
NI void add_shorts(short *restrict a, const short *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT a[i] += b[i]; } }
NI void add_longs(long *restrict a, const long *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT a[i] += b[i]; } }
NI void multiply_longs(long *restrict a, const long *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT a[i] *= b[i]; } }
NI void multiply_ints(int *restrict a, const int *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT a[i] *= b[i]; } }
NI void shift_left(unsigned *a, int n) {
    for (int i = 0; i < n; i++) { IT a[i] <<= 3; } }
NI void square_roots(double *a, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = sqrt(a[i]); } }
NI void divide(float *restrict a, const float *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT a[i] /= b[i] + 1; } }
NI void reciprocal_constant(double *a) {
    for (int i = 0; i < 800; i++) { IT a[i] = 1.0 / (a[i] + 2); } }
NI void widen(double *restrict d, const float *restrict f, int n) {
    for (int i = 0; i < n; i++) { IT d[i] = f[i]; } }
NI void narrow(float *restrict f, const double *restrict d, int n) {
    for (int i = 0; i < n; i++) { IT f[i] = d[i]; } }
NI void int_to_double(double *restrict d, const int *restrict a, int n) {
    for (int i = 0; i < n; i++) { IT d[i] = a[i] * 0.5; } }
NI void double_to_int(int *restrict a, const double *restrict d, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = (int)d[i]; } }
NI void bytes_to_int(int *restrict a, const unsigned char *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = b[i]; } }
NI void ints_to_bytes(unsigned char *restrict b, const int *restrict a, int n) {
    for (int i = 0; i < n; i++) { IT b[i] = a[i]; } }
NI void bytes_to_float(float *restrict f, const unsigned char *restrict b) {
    for (int i = 0; i < 960; i++) { IT f[i] = b[i] * (1.0f / 255); } }
NI void mixed(double *restrict d, const float *restrict f, const int *restrict k, int n) {
    for (int i = 0; i < n; i++) { IT d[i] = d[i] * f[i] + k[i]; } }
NI void clamp(int *a, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = a[i] < 0 ? 0 : a[i] > 99 ? 99 : a[i]; } }
NI void absolute(double *a, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = fabs(a[i]); } }
NI void polynomial(double *restrict y, const double *restrict x, int n) {
    for (int i = 0; i < n; i++) { IT y[i] = ((x[i] * 0.5 + 1.5) * x[i] + 2.5) * x[i] + 3.5; } }
NI void many_statements(double *restrict a, double *restrict b, double *restrict c, const double *restrict d, int n) {
    for (int i = 0; i < n; i++) { IT
        a[i] = d[i] * 2;
        b[i] = d[i] + a[i];
        c[i] = b[i] * d[i] - a[i];
    } }
NI void temporary(double *restrict a, const double *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT
        double t = b[i] + 1;
        double u = t * t;
        a[i] = u * t;
    } }

/* Fills and copies. */
NI void fill_double(double *p, double *q) {
    for (int j = 0; j < 240; j++) { IT p[j] = *q; } }
NI void fill_value(double *p, double v, int n) {
    for (int j = 0; j < n; j++) { IT p[j] = v; } }
NI void fill_float(float *p, float v, int n) {
    for (int j = 0; j < n; j++) { IT p[j] = v; } }
NI void fill_int_constant(int *p, int v) {
    for (int j = 0; j < 512; j++) { IT p[j] = v; } }
NI void fill_short(short *p, short v, int n) {
    for (int j = 0; j < n; j++) { IT p[j] = v; } }
NI void fill_bytes(char *p, char v, int n) {
    for (int j = 0; j < n; j++) { IT p[j] = v; } }
NI void fill_zero(double *p, int n) {
    for (int j = 0; j < n; j++) { IT p[j] = 0; } }
NI void copy(double *restrict p, const double *restrict q, int n) {
    for (int j = 0; j < n; j++) { IT p[j] = q[j]; } }
NI void copy_overlapping(float *p, const float *q, int n) {
    for (int j = 0; j < n; j++) { IT p[j] = q[j]; } }
NI void reverse_copy(double *restrict p, const double *restrict q, int n) {
    for (int j = 0; j < n; j++) { IT p[j] = q[n - 1 - j]; } }
NI void index_fill(int *p, int n) {
    for (int j = 0; j < n; j++) { IT p[j] = j; } }
NI void index_fill_double(double *p) {
    for (int j = 0; j < K; j++) { IT p[j] = 0.25 * j; } }
NI void strided_fill(float *p, int n) {
    for (int j = 0; j < n; j++) { IT p[2 * j] = 1; } }
NI void swap(double *restrict a, double *restrict b, int n) {
    for (int j = 0; j < n; j++) { IT double t = a[j]; a[j] = b[j]; b[j] = t; } }
NI void byte_swap(uint32_t *a, int n) {
    for (int j = 0; j < n; j++) { IT a[j] = __builtin_bswap32(a[j]); } }

/* Strided, gathered, scattered. */
NI void strided_copy(double *restrict p, const double *restrict q, int n) {
    for (int i = 0; i < n; i++) { IT p[i] = q[2 * i]; } }
NI void strided_both(float *restrict p, const float *restrict q, int n) {
    for (int i = 0; i < n; i++) { IT p[3 * i] = q[2 * i] * 3; } }
NI void step_three(float *a, int n) {
    for (int i = 0; i < n; i += 3) { IT a[i] *= 1.5f; } }
NI void step_four_constant(int *a) {
    for (int i = 0; i < K; i += 4) { IT a[i] += 7; } }
NI void gather(float *restrict a, const float *restrict b, const int *restrict ip, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = b[ip[i]]; } }
NI double gather_sum(const double *b, const int *ip, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT s += b[ip[i]]; }
    return s; }
NI double gather_dot(const double *a, const double *b, const int *ip) { double s = 0;
    for (int i = 0; i < 600; i++) { IT s += a[i] * b[ip[i]]; }
    return s; }
NI void scatter(float *a, float *b, int *ip, int n) {
    for (int i = 0; i < n; i++) { IT a[ip[i]] = b[i]; } }
NI void scatter_restrict(double *restrict a, const double *restrict b, const int *restrict ip, int n) {
    for (int i = 0; i < n; i++) { IT a[ip[i]] = b[i] * 2; } }
NI void histogram(int *h, const unsigned char *b, int n) {
    for (int i = 0; i < n; i++) { IT h[b[i]]++; } }
NI int lookup(const int *table, const unsigned char *b, int n) { int s = 0;
    for (int i = 0; i < n; i++) { IT s += table[b[i]]; }
    return s; }

/* Structures and complex numbers. */
struct two { double x, y; };
struct three { float x, y, z; };
struct four { float x, y, z, w; };
struct odd { double x; int n; float f; };
NI double two_fields(const struct two *p, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT s += p[i].x * p[i].y; }
    return s; }
NI void two_scaled(struct two *p) {
    for (int i = 0; i < 400; i++) { IT p[i].x *= 2; p[i].y *= 2; } }
NI void two_moved(struct two *p, int n) {
    for (int i = 0; i < n; i++) { IT p[i].x += 1; p[i].y -= 3; } }
NI void three_scaled(struct three *p, float a, int n) {
    for (int i = 0; i < n; i++) { IT p[i].x *= a; p[i].y *= a; p[i].z *= a; } }
NI void four_scaled(struct four *p, float a) {
    for (int i = 0; i < 256; i++) { IT
        p[i].x *= a;
        p[i].y *= a;
        p[i].z *= a;
        p[i].w *= a;
    } }
NI void four_zero(struct four *p, int n) {
    for (int i = 0; i < n; i++) { IT p[i].x = 0; p[i].y = 0; p[i].z = 0; p[i].w = 1; } }
NI double one_field(const struct odd *p, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT s += p[i].x; }
    return s; }
NI void mixed_fields(struct odd *p, int n) {
    for (int i = 0; i < n; i++) { IT p[i].x += p[i].f; p[i].n++; } }
NI void structure_copy(struct two *restrict p, const struct two *restrict q, int n) {
    for (int i = 0; i < n; i++) { IT p[i] = q[i]; } }
NI void to_arrays(float *restrict x, float *restrict y, float *restrict z, const struct three *restrict p, int n) {
    for (int i = 0; i < n; i++) { IT x[i] = p[i].x; y[i] = p[i].y; z[i] = p[i].z; } }
/* Names of complex numbers are used for nothing else: where one occurs, an operator may work on two elements. */
NI double complex complex_sum(const double complex *cz, int n) { double complex cs = 0;
    for (int i = 0; i < n; i++) { IT cs += cz[i]; }
    return cs; }
NI void complex_scale(double complex *cz, double a) {
    for (int i = 0; i < 400; i++) { IT cz[i] *= a; } }
NI void complex_add(float complex *restrict cz, const float complex *restrict cw, int n) {
    for (int i = 0; i < n; i++) { IT cz[i] += cw[i]; } }
NI void complex_product(double complex *restrict cz, const double complex *restrict cw) {
    for (int i = 0; i < 400; i++) { IT cz[i] = (creal(cz[i]) * creal(cw[i]) - cimag(cz[i]) * cimag(cw[i])) + I * 0.5 * cimag(cz[i]); } }
NI void interleaved(float *a) {
    for (int i = 0; i < 300; i++) { IT a[2 * i] *= 2; a[2 * i + 1] *= 2; } }
NI void interleaved_ints(int *a, int n) {
    for (int i = 0; i < n; i++) { IT a[2 * i] += 1; a[2 * i + 1] += 2; } }
NI void four_by_hand(double *a, const double *b) {
    for (int i = 0; i < K; i += 4) { IT
        a[i] += b[i];
        a[i + 1] += b[i + 1];
        a[i + 2] += b[i + 2];
        a[i + 3] += b[i + 3];
    } }

/* Stencils and recurrences. */
NI void jacobi(double *restrict b, const double *restrict a) {
    for (int i = 1; i < 399; i++) { IT b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]); } }
NI void jacobi_variable(double *b, const double *a, int n) {
    for (int i = 1; i < n - 1; i++) { IT b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]); } }
NI void five_points(float *restrict b, const float *restrict a, int n) {
    for (int i = 2; i < n - 2; i++) { IT b[i] = a[i - 2] + a[i - 1] + a[i] + a[i + 1] + a[i + 2]; } }
NI void in_place(double *a, int n) {
    for (int i = 1; i < n; i++) { IT a[i] += a[i - 1] * 0.5; } }
NI void in_place_constant(double *a) {
    for (int i = 1; i < 1000; i++) { IT a[i] = a[i - 1] * 0.5 + a[i]; } }
NI void prefix(int *a, int n) {
    for (int i = 1; i < n; i++) { IT a[i] += a[i - 1]; } }
NI void distance_four(double *a, int n) {
    for (int i = 4; i < n; i++) { IT a[i] = a[i - 4] * 1.5; } }
NI double recurrence(double x, int n) {
    for (int i = 0; i < n; i++) { IT x = x * 0.75 + 1; }
    return x; }
NI unsigned generator(unsigned x, int n) {
    for (int i = 0; i < n; i++) { IT x = x * 1664525u + 1013904223u; }
    return x; }
NI double horner(const double *c, double x) { double s = 0;
    for (int i = 99; i >= 0; i--) { IT s = s * x + c[i]; }
    return s; }
NI double wrap_around(double *restrict a, const double *restrict b, int n) { double last = b[0];
    for (int i = 0; i < n; i++) { IT a[i] = last + b[i]; last = b[i]; }
    return last; }

/* Counting otherwise. */
NI void downward(double *a, int n) {
    for (int i = n - 1; i >= 0; i--) { IT a[i] *= 1.25; } }
NI void downward_constant(int *a) {
    for (int i = 767; i >= 0; i--) { IT a[i] += 3; } }
NI void unsigned_counter(float *a, unsigned n) {
    for (unsigned i = 0; i < n; i++) { IT a[i] += 1; } }
NI void size_counter(float *a, size_t n) {
    for (size_t i = 0; i != n; ++i) { IT a[i] -= 1; } }
NI void byte_counter(int *a) {
    for (unsigned char i = 0; i < 200; i++) { IT a[i] ^= 5; } }
NI void pointer_counter(double *p, double *end) {
    for (; p != end; p++) { IT *p += 1; } }
NI void pointer_while(float *p, int n) {
    while (n-- > 0) { IT *p++ *= 3; } }
NI void do_while(double *a, int n) { int i = 0;
    do { IT a[i] += 2; i++; } while (i < n); }
NI void two_counters(double *restrict a, const double *restrict b, int n) {
    for (int i = 0, j = n - 1; i < n; i++, j--) { IT a[i] += b[j]; } }
NI void doubling(double *a, int n) {
    for (int i = 1; i < n; i *= 2) { IT a[i] += 1; } }
NI int collatz(unsigned long x) { int steps = 0;
    while (x != 1) { IT x = x & 1 ? 3 * x + 1 : x / 2; steps++; }
    return steps; }
NI unsigned bits(unsigned long x) { unsigned c = 0;
    while (x) { IT x &= x - 1; c++; }
    return c; }
NI unsigned greatest_divisor(unsigned a, unsigned b) {
    while (b) { IT unsigned t = a % b; a = b; b = t; }
    return a; }

/* Early ends. */
NI int search(const int *a, int x, int n) {
    for (int i = 0; i < n; i++) { IT if (a[i] == x) return i; }
    return -1; }
NI int search_constant(const int *a, int x) {
    for (int i = 0; i < 1000; i++) { IT if (a[i] == x) return i; }
    return -1; }
NI double until(const double *a, double limit, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT s += a[i]; if (s > limit) break; }
    return s; }
NI size_t length(const char *s) { size_t n = 0;
    while (s[n]) { IT n++; }
    return n; }
NI int compare(const char *a, const char *b) {
    while (*a && *a == *b) { IT a++; b++; }
    return *a - *b; }
NI void copy_string(char *restrict to, const char *restrict from) {
    while (*from) { IT *to++ = *from++; }
    *to = 0; }
NI unsigned hash(const char *s) { unsigned h = 5381;
    for (; *s; s++) { IT h = h * 33 + (unsigned char)*s; }
    return h; }
NI int count_spaces(const char *s) { int c = 0;
    for (; *s; s++) { IT c += *s == ' '; }
    return c; }
struct node { struct node *next; double value; };
NI double list(const struct node *p) { double s = 0;
    while (p) { IT s += p->value; p = p->next; }
    return s; }
NI int bisect(const double *a, double x, int n) { int low = 0, high = n;
    while (low < high) { IT int m = (low + high) / 2; if (a[m] < x) low = m + 1; else high = m; }
    return low; }

/* Conditions and calls. */
NI void conditional(double *restrict a, const double *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT if (b[i] > 0.5) a[i] += b[i]; } }
NI void both_ways(float *restrict a, const float *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT if (b[i] > 0.5f) a[i] = b[i] * 2; else a[i] = b[i] + 1; } }
NI double conditional_sum(const double *a, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT if (a[i] > 0.25) s += a[i]; }
    return s; }
NI int conditional_count(const int *a) { int c = 0;
    for (int i = 0; i < 1000; i++) { IT if (a[i] & 1) c++; }
    return c; }
NI int pack(int *restrict out, const int *restrict a, int n) { int k = 0;
    for (int i = 0; i < n; i++) { IT if (a[i] > 3) out[k++] = a[i]; }
    return k; }
NI double unswitched(double *restrict a, const double *restrict b, int flag, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT if (flag) a[i] = b[i] * 2; else a[i] += b[i]; }
    return s; }
NI int switched(const int *a, int n) { int s = 0;
    for (int i = 0; i < n; i++) { IT switch (a[i] & 3) { case 0: s++; break; case 1: s ^= 3; break; case 2: s *= 3; break; default: s -= 5; } }
    return s; }
NI double helper(double x) { __asm__ volatile("" : "+x"(x)); return x * 2; }
NI void calls(double *a, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = helper(a[i]); } }
NI void sines(double *a, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = sin(a[i]); } }
static inline double square(double x) { return x * x; }
NI void inlined(double *restrict a, const double *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = square(b[i]) + square(b[i] + 1); } }
static inline double inner_sum(const double *a, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT s += a[i] * 3; }
    return s; }
NI double inlined_loop(const double *a, int n) { return inner_sum(a, n); }
#define TWICE(x) ((x) * 2.0)
NI void macro(double *restrict a, const double *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = TWICE(b[i]) + TWICE(a[i]); } }

/* Nests. */
NI void matrix_vector(double *restrict y, const double *restrict a, const double *restrict x, int n) {
    for (int i = 0; i < n; i++) { IT
        double s = 0;
        for (int j = 0; j < n; j++) { IT s += a[i * n + j] * x[j]; }
        y[i] = s;
    } }
static double ma[48][48], mb[48][48], mc[48][48];
NI void multiply_ijk(void) {
    for (int i = 0; i < 40; i++) { IT
        for (int j = 0; j < 40; j++) { IT
            for (int k = 0; k < 40; k++) { IT mc[i][j] += ma[i][k] * mb[k][j]; } } } }
NI void multiply_ikj(int n) {
    for (int i = 0; i < n; i++) { IT
        for (int k = 0; k < n; k++) { IT
            for (int j = 0; j < n; j++) { IT mc[i][j] += ma[i][k] * mb[k][j]; } } } }
NI void transpose(double *restrict b, const double *restrict a, int n) {
    for (int i = 0; i < n; i++) { IT
        for (int j = 0; j < n; j++) { IT b[j * n + i] = a[i * n + j]; } } }
NI void short_inner(double *restrict c, const double *restrict a, int n) {
    for (int i = 0; i < n; i++) { IT
        for (int k = 0; k < 4; k++) { IT c[i] += a[4 * i + k]; } } }
NI void short_inner_store(double *c) {
    for (int i = 0; i < 250; i++) { IT
        for (int k = 0; k < 4; k++) { IT c[4 * i + k] *= 2; } } }
NI void three_by_three(double *restrict c, const double *restrict a, const double *restrict b, int n) {
    for (int m = 0; m < n; m++) { IT
        for (int i = 0; i < 3; i++) { IT
            for (int j = 0; j < 3; j++) { IT c[9 * m + 3 * i + j] = a[9 * m + 3 * i] * b[j]; } } } }
NI void seven(double *a, int n) {
    for (int i = 0; i < n; i++) { IT
        for (int k = 0; k < 7; k++) { IT a[7 * i + k] += k; } } }
NI double triangle(const double *a, int n) { double s = 0;
    for (int i = 0; i < n; i++) { IT
        for (int j = i; j < n; j++) { IT s += a[j] * a[i]; } }
    return s; }
NI void two_dimensions(int n) {
    for (int i = 1; i < n - 1; i++) { IT
        for (int j = 1; j < n - 1; j++) { IT mb[i][j] = 0.25 * (ma[i - 1][j] + ma[i + 1][j] + ma[i][j - 1] + ma[i][j + 1]); } } }
NI void column_sums(double *restrict s, const double *restrict a, int n) {
    for (int j = 0; j < n; j++) { IT
        for (int i = 0; i < n; i++) { IT s[j] += a[i * n + j]; } } }
NI void flat(double *a) {
    for (int i = 0; i < 30; i++) { IT
        for (int j = 0; j < 32; j++) { IT a[32 * i + j] += 1; } } }
NI void clear_rows(double *a, int n) {
    for (int i = 0; i < n; i++) { IT
        for (int j = 0; j < 16; j++) { IT a[16 * i + j] = 0; } } }
NI void filter(float *restrict y, const float *restrict x, const float *restrict h, int n) {
    for (int i = 0; i < n; i++) { IT
        float s = 0;
        for (int k = 0; k < 8; k++) { IT s += x[i + k] * h[k]; }
        y[i] = s; } }
NI void sort(int *a, int n) {
    for (int i = 1; i < n; i++) { IT int x = a[i], j = i;
        while (j > 0 && a[j - 1] > x) { IT a[j] = a[j - 1]; j--; }
        a[j] = x; } }
NI int sieve(char *p, int n) { int c = 0;
    for (int i = 2; i < n; i++) { IT if (p[i]) continue;
        c++;
        for (int j = 2 * i; j < n; j += i) { IT p[j] = 1; } }
    return c; }

/* Two loops, one loop. */
NI void neighbours(double *restrict a, double *restrict b, const double *restrict c, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = c[i] * 2; }
    for (int i = 0; i < n; i++) { IT b[i] = c[i] + a[i]; } }
NI void distributed(double *restrict a, double *restrict b, double *restrict c, int n) {
    for (int i = 1; i < n; i++) { IT
        a[i] = a[i - 1] * 0.5 + c[i];
        b[i] = c[i] * 3;
    } }
NI void fill_and_work(double *restrict a, double *restrict b, const double *restrict c, int n) {
    for (int i = 0; i < n; i++) { IT a[i] = 0; b[i] = c[i] * 3; } }

/* OpenMP simd (-fopenmp-simd). */
NI double simd_sum(const double *a, int n) { double s = 0;
#pragma omp simd reduction(+ : s)
    for (int i = 0; i < n; i++) { IT s += a[i]; }
    return s; }
NI double simd_dot(const float *a, const float *b) { float s = 0;
#pragma omp simd reduction(+ : s)
    for (int i = 0; i < K; i++) { IT s += a[i] * b[i]; }
    return s; }
NI void simd_map(double *a, const double *b, int n) {
#pragma omp simd
    for (int i = 0; i < n; i++) { IT a[i] = b[i] * b[i] + 1; } }
NI void simd_condition(float *a, const float *b, int n) {
#pragma omp simd
    for (int i = 0; i < n; i++) { IT if (b[i] > 0.5f) a[i] = b[i] / (a[i] + 2); } }

static double d1[5000], d2[5000], d3[5000], d4[5000];
static float f1[5000], f2[5000], f3[5000], f4[5000];
static int i1[5000], i2[5000], i3[5000], ip[5000];
static long l1[5000], l2[5000];
static short s1[5000], s2[5000];
static unsigned char b1[5000], b2[5000];
static struct two t2[1100], u2[1100];
static struct three t3[1100];
static struct four t4[1100];
static struct odd odds[1100];
static double complex z1[1100], z2[1100];
static float complex w1[1100], w2[1100];
static struct node nodes[300];
static char text[400], text2[400];
static volatile double sink;

static void run(int n) {
    sink = sum(d1, n) + sum_constant(f1) + dot(d1, d2, n) + unroll(d1, d2) + sum_int(i1, n) + sum_int_constant(i1);
    sink += sum_int_to_long(i1, n) + sum_char_to_int((signed char *)b1, n) + sum_bytes(b1, n) + dot_short(s1, s2, n);
    sink += sad(b1, b2, n) + maximum(i1, n) + maximum_double(d1, n) + argmax(f1, n) + product(d1, n);
    sink += two_sums(d1, d2, n) + four_sums(d1) + step_two_sums(d1) + norm(f1, n) + count_equal(i1, 3, n);
    sink += xor_all((unsigned *)i1, n) + and_constant(i1) + strided_sum(d1, n) + aos(d1, n);
    saxpy(f1, f2, 0.5f, n); daxpy(d1, d2, 0.5, n); daxpy_constant(d1, d2, 0.25); daxpy_odd(d1, d2, 0.25);
    triad(d1, d2, d3, 0.5, n); add_int(i1, i2, i3, n); add_int_versions(i1, i2, i3, n); add_bytes(b1, b2, n);
    add_shorts(s1, s2, n); add_longs(l1, l2, n); multiply_longs(l1, l2, n); multiply_ints(i1, i2, n);
    shift_left((unsigned *)i3, n); square_roots(d3, n); divide(f3, f2, n); reciprocal_constant(d3);
    widen(d3, f2, n); narrow(f3, d2, n); int_to_double(d3, i2, n); double_to_int(i3, d2, n); bytes_to_int(i3, b1, n);
    ints_to_bytes(b2, i1, n); bytes_to_float(f3, b1); mixed(d3, f2, i2, n); clamp(i3, n); absolute(d3, n);
    polynomial(d3, d2, n); many_statements(d1, d3, d4, d2, n); temporary(d3, d2, n);
    fill_double(d4, d4 + 4000); fill_value(d4, 2, n); fill_float(f4, 2, n); fill_int_constant(i3, n); fill_short(s1, 3, n);
    fill_bytes((char *)b2, 3, n); fill_zero(d4, n); copy(d4, d2, n); copy_overlapping(f4, f2, n); reverse_copy(d4, d2, n);
    index_fill(i3, n); index_fill_double(d4); strided_fill(f4, n); swap(d3, d4, n); byte_swap((uint32_t *)i3, n);
    strided_copy(d4, d2, n); strided_both(f4, f2, n); step_three(f4, n); step_four_constant(i3);
    gather(f4, f2, ip, n); sink += gather_sum(d2, ip, n) + gather_dot(d1, d2, ip); scatter(f4, f2, ip, n);
    scatter_restrict(d4, d2, ip, n); histogram(i3, b1, n); sink += lookup(i2, b1, n);
    sink += two_fields(t2, n); two_scaled(t2); two_moved(t2, n); three_scaled(t3, 1.5f, n); four_scaled(t4, 1.5f);
    four_zero(t4, n); sink += one_field(odds, n); mixed_fields(odds, n); structure_copy(u2, t2, n); to_arrays(f1, f3, f4, t3, n);
    sink += creal(complex_sum(z1, n)); complex_scale(z1, 0.5); complex_add(w1, w2, n); complex_product(z1, z2);
    interleaved(f3); interleaved_ints(i3, n); four_by_hand(d3, d2);
    jacobi(d3, d2); jacobi_variable(d3, d2, n); five_points(f3, f2, n); in_place(d3, n); in_place_constant(d3); prefix(i3, n);
    distance_four(d3, n); sink += recurrence(n, n) + generator(n, n) + horner(d2, 0.5) + wrap_around(d3, d2, n);
    downward(d3, n); downward_constant(i3); unsigned_counter(f3, n); size_counter(f3, n); byte_counter(i3);
    pointer_counter(d3, d3 + n); pointer_while(f3, n); do_while(d3, n); two_counters(d3, d2, n); doubling(d3, n);
    sink += collatz(n + 27) + bits(n * 0x12345678UL) + greatest_divisor(n * 35, 98765);
    i2[n - 10] = 77777; sink += search(i2, 77777, n) + search_constant(i2, 77777); i2[n - 10] = 1;
    sink += until(d2, 300, n) + length(text) + compare(text, text2); copy_string(text2, text);
    sink += hash(text) + count_spaces(text) + list(nodes) + bisect(d4, 3, n);
    conditional(d3, d2, n); both_ways(f3, f2, n); sink += conditional_sum(d2, n) + conditional_count(i2) + pack(i3, i2, n);
    sink += unswitched(d3, d2, n & 1, n) + switched(i2, n); calls(d3, n); sines(d3, n / 4); inlined(d3, d2, n);
    sink += inlined_loop(d2, n); macro(d3, d2, n);
    matrix_vector(d3, d2, d1, 41); multiply_ijk(); multiply_ikj(37); transpose(d3, d2, 43); short_inner(d3, d2, n);
    short_inner_store(d3); three_by_three(d3, d2, d1, n / 4); seven(d3, 100); sink += triangle(d2, 50); two_dimensions(43);
    column_sums(d3, d2, 35); flat(d3); clear_rows(d3, 60); filter(f3, f2, f1, n); sort(i3, 80); memset(text2, 0, 400); sink += sieve(text2, 300);
    neighbours(d3, d4, d2, n); distributed(d3, d4, d1, n); fill_and_work(d3, d4, d2, n);
    sink += simd_sum(d2, n) + simd_dot(f1, f2); simd_map(d3, d2, n); simd_condition(f3, f2, n);
}

int main(int argc, char **argv) {
    for (int i = 0; i < 5000; i++) {
        d1[i] = d2[i] = d3[i] = d4[i] = (i * 7 % 11) * 0.1; f1[i] = f2[i] = f3[i] = f4[i] = (i * 5 % 13) * 0.1f;
        i1[i] = i2[i] = i3[i] = i * 3 % 17; ip[i] = i * 7 % 1000; l1[i] = l2[i] = i; s1[i] = s2[i] = i % 50; b1[i] = b2[i] = i * 11 % 251;
    }
    for (int i = 0; i < 300; i++) nodes[i].next = i < 299 ? nodes + i + 1 : NULL;
    for (int i = 0; i < 399; i++) text[i] = text2[i] = i % 6 ? 'a' + i % 20 : ' ';
    run(N);
    run(1000);
    run(37);
#ifdef TRUTH
    for (int i = 0; i < 1000; i++) if (truth[i]) printf("%d %lu\n", i, truth[i]);
#endif
    return argc > 100 ? argv[0][0] : 0;
}
