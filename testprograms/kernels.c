// PROGRAM matrix=yes links=-lm
//
// Small kernels in C, one function each, one marked loop or nest each: what compilers vectorise, what they do
// not, and why. Every mark names the loop and its class (see README.md beside this file). The program runs each
// kernel once on small data and prints a checksum, so that two builds of it can be compared.

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef ELEMENTS
#define ELEMENTS 1000
#endif
enum { N = ELEMENTS, M = 48 };
#define KERNEL __attribute__((noinline))
static double a[N + 8], b[N + 8], c[N + 8], d[N + 8];
static float fa[N + 8], fb[N + 8], fc[N + 8];
static int ia[N + 8], ib[N + 8], ic[N + 8], position[N + 8];
static uint8_t ua[N + 8], ub[N + 8], uc[N + 8];
static double ma[M][M], mb[M][M], mc[M][M];
static char text[N + 8];

// ---- maps: every iteration is independent

KERNEL void triad(double *restrict x, const double *restrict y, const double *restrict z, double s, int n) {
    for (int i = 0; i < n; i++) x[i] = y[i] + s * z[i]; // LOOP name=triad class=fp-map
}

KERNEL void daxpy(double *restrict y, const double *restrict x, double s, int n) {
    for (int i = 0; i < n; i++) y[i] += s * x[i]; // LOOP name=daxpy class=fp-map
}

KERNEL void saxpy(float *restrict y, const float *restrict x, float s, int n) {
    for (int i = 0; i < n; i++) y[i] += s * x[i]; // LOOP name=saxpy class=fp-map
}

// The pointers may overlap: compilers check at run time and keep a second version.
KERNEL void triad_alias(double *x, const double *y, const double *z, double s, int n) {
    for (int i = 0; i < n; i++) x[i] = y[i] + s * z[i]; // LOOP name=triad_alias class=fp-map
}

KERNEL void stencil3(double *restrict x, const double *restrict y, int n) {
    for (int i = 1; i < n - 1; i++) x[i] = 0.25 * y[i - 1] + 0.5 * y[i] + 0.25 * y[i + 1]; // LOOP name=stencil3 class=fp-map
}

KERNEL void square_roots(double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = sqrt(y[i]); // LOOP name=square_roots class=fp-map
}

KERNEL void divisions(double *restrict x, const double *restrict y, const double *restrict z, int n) {
    for (int i = 0; i < n; i++) x[i] = y[i] / (z[i] + 1.0); // LOOP name=divisions class=fp-map
}

KERNEL void divide_by_invariant(double *restrict x, const double *restrict y, double s, int n) {
    for (int i = 0; i < n; i++) x[i] = y[i] / s; // LOOP name=divide_by_invariant class=fp-map
}

KERNEL void polynomial(double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) // LOOP name=polynomial class=fp-map
        x[i] = ((((0.1 * y[i] + 0.2) * y[i] + 0.3) * y[i] + 0.4) * y[i] + 0.5) * y[i] + 0.6;
}

KERNEL void absolute(double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = fabs(y[i] - 0.5); // LOOP name=absolute class=fp-map
}

KERNEL void select_values(double *restrict x, const double *restrict y, const double *restrict z, int n) {
    for (int i = 0; i < n; i++) x[i] = y[i] > z[i] ? y[i] * 2.0 : z[i] * 3.0; // LOOP name=select_values class=fp-map
}

KERNEL void narrow(float *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = (float)y[i]; // LOOP name=narrow class=conversion
}

KERNEL void widen(double *restrict x, const float *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = (double)y[i] * 1.5; // LOOP name=widen class=conversion
}

KERNEL void integer_to_double(double *restrict x, const int *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = 0.5 * y[i]; // LOOP name=integer_to_double class=conversion
}

// A float loop that strays into double: the constant 2.0 is a double.
KERNEL void mixed_width(float *restrict x, const float *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = y[i] * 2.1 + 1.3; // LOOP name=mixed_width class=conversion
}

KERNEL void integer_add(int *restrict x, const int *restrict y, const int *restrict z, int n) {
    for (int i = 0; i < n; i++) x[i] = y[i] + 3 * z[i]; // LOOP name=integer_add class=int-map
}

KERNEL void integer_divide(int *restrict x, const int *restrict y, const int *restrict z, int n) {
    for (int i = 0; i < n; i++) x[i] = y[i] / (z[i] | 1); // LOOP name=integer_divide class=int-map
}

KERNEL void saturating_add(uint8_t *restrict x, const uint8_t *restrict y, const uint8_t *restrict z, int n) {
    for (int i = 0; i < n; i++) { // LOOP name=saturating_add class=int-map
        unsigned sum = (unsigned)y[i] + z[i];
        x[i] = (uint8_t)(sum > 255 ? 255 : sum);
    }
}

KERNEL void copy(double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = y[i]; // LOOP name=copy class=copy
}

KERNEL void fill_zero(double *x, int n) {
    for (int i = 0; i < n; i++) x[i] = 0.0; // LOOP name=fill_zero class=fill
}

KERNEL void fill_value(double *x, double s, int n) {
    for (int i = 0; i < n; i++) x[i] = s; // LOOP name=fill_value class=fill
}

KERNEL void reverse(double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = 2.0 * y[n - 1 - i]; // LOOP name=reverse class=fp-map
}

KERNEL void stride_two(double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n / 2; i++) x[i] = y[2 * i] * y[2 * i + 1]; // LOOP name=stride_two class=strided
}

struct particle {
    double x, y, z;
    int kind;
    double mass;
};
static struct particle particles[N];

// Array of structures: one useful value per 40 bytes.
KERNEL void array_of_structures(struct particle *p, double dt, int n) {
    for (int i = 0; i < n; i++) p[i].x += dt * p[i].mass; // LOOP name=array_of_structures class=strided
}

KERNEL void gather(double *restrict x, const double *restrict y, const int *restrict at, int n) {
    for (int i = 0; i < n; i++) x[i] = 1.5 * y[at[i]]; // LOOP name=gather class=gather
}

KERNEL void scatter(double *restrict x, const double *restrict y, const int *restrict at, int n) {
    for (int i = 0; i < n; i++) x[at[i]] = 1.5 * y[i]; // LOOP name=scatter class=scatter
}

KERNEL void conditional_store(double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) // LOOP name=conditional_store class=conditional-store
        if (y[i] > 0.5) x[i] = y[i] * 2.0;
}

KERNEL void switched(int *restrict x, const int *restrict y, int n) {
    for (int i = 0; i < n; i++) { // LOOP name=switched class=switch
        switch (y[i] & 7) {
        case 0: x[i] = y[i] * 3; break;
        case 1: x[i] = y[i] - x[i]; break;
        case 2: x[i] = y[i] ^ 0x55; break;
        case 3: x[i] += y[i] << 2; break;
        case 4: x[i] = y[i] / 3; break;
        case 5: x[i] = ~y[i]; break;
        case 6: x[i] = x[i] * x[i] & 0xffff; break;
        default: x[i] = 7; break;
        }
    }
}

// ---- reductions

KERNEL double sum(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i]; // LOOP name=sum class=fp-reduction
    return s;
}

KERNEL double dot(const double *x, const double *y, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * y[i]; // LOOP name=dot class=fp-reduction
    return s;
}

KERNEL float dot_float(const float *x, const float *y, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s += x[i] * y[i]; // LOOP name=dot_float class=fp-reduction
    return s;
}

KERNEL double maximum(const double *x, int n) {
    double m = x[0];
    for (int i = 1; i < n; i++) m = x[i] > m ? x[i] : m; // LOOP name=maximum class=fp-minmax
    return m;
}

KERNEL int integer_sum(const int *x, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += x[i]; // LOOP name=integer_sum class=int-reduction
    return s;
}

KERNEL long integer_dot(const int *x, const int *y, int n) {
    long s = 0;
    for (int i = 0; i < n; i++) s += (long)x[i] * y[i]; // LOOP name=integer_dot class=int-reduction
    return s;
}

KERNEL int count_equal(const int *x, int value, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) count += x[i] == value; // LOOP name=count_equal class=int-reduction
    return count;
}

KERNEL int integer_maximum(const int *x, int n) {
    int m = x[0];
    for (int i = 1; i < n; i++) m = x[i] > m ? x[i] : m; // LOOP name=integer_maximum class=int-reduction
    return m;
}

KERNEL unsigned byte_sum(const uint8_t *x, int n) {
    unsigned s = 0;
    for (int i = 0; i < n; i++) s += x[i]; // LOOP name=byte_sum class=int-reduction
    return s;
}

KERNEL int index_of_maximum(const double *x, int n) {
    int best = 0;
    for (int i = 1; i < n; i++) // LOOP name=index_of_maximum class=argmax
        if (x[i] > x[best]) best = i;
    return best;
}

// ---- loop-carried dependences

KERNEL void prefix_sum(double *restrict x, const double *restrict y, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { // LOOP name=prefix_sum class=scan
        s += y[i];
        x[i] = s;
    }
}

KERNEL void recurrence(double *x, const double *y, int n) {
    for (int i = 1; i < n; i++) x[i] = 0.5 * x[i - 1] + y[i]; // LOOP name=recurrence class=recurrence
}

KERNEL unsigned linear_congruence(unsigned seed, int n) {
    for (int i = 0; i < n; i++) seed = seed * 1664525u + 1013904223u; // LOOP name=linear_congruence class=recurrence
    return seed;
}

KERNEL void histogram(int *restrict bins, const int *restrict at, int n) {
    for (int i = 0; i < n; i++) bins[at[i] & 63]++; // LOOP name=histogram class=histogram
}

// Distance eight: vectors of up to eight elements are allowed.
KERNEL void distance_eight(double *x, int n) {
    for (int i = 8; i < n; i++) x[i] = x[i - 8] * 0.5 + 1.0; // LOOP name=distance_eight class=fp-map
}

// ---- loops without a count that is known on entry

KERNEL int find_first(const int *x, int value, int n) {
    for (int i = 0; i < n; i++) // LOOP name=find_first class=search
        if (x[i] == value) return i;
    return -1;
}

KERNEL double sum_until_negative(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { // LOOP name=sum_until_negative class=search
        if (x[i] < 0) break;
        s += x[i];
    }
    return s;
}

KERNEL size_t string_length(const char *s) {
    const char *p = s;
    while (*p != '\n' && *p != 0) p++; // LOOP name=string_length class=string-scan
    return (size_t)(p - s);
}

struct node {
    struct node *next;
    double value;
};
static struct node nodes[N];

KERNEL double list_sum(const struct node *p) {
    double s = 0;
    while (p) { // LOOP name=list_sum class=list-walk
        s += p->value;
        p = p->next;
    }
    return s;
}

KERNEL double newton(double x) {
    double r = x;
    do { // LOOP name=newton class=recurrence
        r = 0.5 * (r + x / r);
    } while (fabs(r * r - x) > 1e-12 * x);
    return r;
}

// ---- calls

KERNEL double opaque(double x) { return x * 1.000001 + 0.25; }

KERNEL void calls(double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = opaque(y[i]); // LOOP name=calls class=call
}

KERNEL void indirect_calls(double *restrict x, const double *restrict y, double (*f)(double), int n) {
    for (int i = 0; i < n; i++) x[i] = f(y[i]); // LOOP name=indirect_calls class=call
}

KERNEL void exponentials(double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = exp(-y[i]); // LOOP name=exponentials class=math-call
}

KERNEL void powers(double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = pow(y[i] + 1.0, 1.7); // LOOP name=powers class=math-call
}

KERNEL void sines(float *restrict x, const float *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = sinf(y[i]); // LOOP name=sines class=math-call
}

// A static function that is inlined into the loop.
static inline double smooth_step(double x) { return x * x * (3.0 - 2.0 * x); }

KERNEL void inlined(double *restrict x, const double *restrict y, int n) {
    for (int i = 0; i < n; i++) x[i] = smooth_step(y[i]); // LOOP name=inlined class=fp-map
}

// The loop itself is inlined into two callers.
static inline __attribute__((always_inline)) void scale(double *restrict x, double s, int n) {
    for (int i = 0; i < n; i++) x[i] *= s; // LOOP name=scale class=fp-map
}
KERNEL void scale_first(double *x, int n) { scale(x, 1.25, n); }
KERNEL void scale_second(double *x, int n) { scale(x + 1, 0.75, n - 1); }

// ---- nests

KERNEL void matrix_ijk(void) {
    for (int i = 0; i < M; i++)         // LOOP name=matrix_ijk_i class=nest-outer
        for (int j = 0; j < M; j++) {   // LOOP name=matrix_ijk_j class=nest-outer
            double s = 0;
            for (int k = 0; k < M; k++) s += ma[i][k] * mb[k][j]; // LOOP name=matrix_ijk_k class=fp-reduction
            mc[i][j] = s;
        }
}

KERNEL void matrix_ikj(void) {
    for (int i = 0; i < M; i++)         // LOOP name=matrix_ikj_i class=nest-outer
        for (int k = 0; k < M; k++)     // LOOP name=matrix_ikj_k class=nest-outer
            for (int j = 0; j < M; j++) mc[i][j] += ma[i][k] * mb[k][j]; // LOOP name=matrix_ikj_j class=fp-map
}

KERNEL void transpose(void) {
    for (int i = 0; i < M; i++)     // LOOP name=transpose_i class=nest-outer
        for (int j = 0; j < M; j++) mc[j][i] = ma[i][j] * 2.0; // LOOP name=transpose_j class=strided
}

KERNEL void jacobi(double (*restrict to)[M], double (*restrict from)[M]) {
    for (int i = 1; i < M - 1; i++)     // LOOP name=jacobi_i class=nest-outer
        for (int j = 1; j < M - 1; j++) // LOOP name=jacobi_j class=fp-map
            to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

KERNEL double triangular(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)     // LOOP name=triangular_i class=nest-outer
        for (int j = 0; j < i; j++) s += ma[i][j]; // LOOP name=triangular_j class=fp-reduction
    return s;
}

KERNEL void bubble_sort(int *x, int n) {
    for (int i = 0; i < n - 1; i++)         // LOOP name=bubble_sort_i class=nest-outer
        for (int j = 0; j < n - 1 - i; j++) // LOOP name=bubble_sort_j class=recurrence
            if (x[j] > x[j + 1]) {
                int t = x[j];
                x[j] = x[j + 1];
                x[j + 1] = t;
            }
}

// ---- other obstacles

KERNEL void volatile_store(volatile int *flag, int n) {
    for (int i = 0; i < n; i++) *flag = i; // LOOP name=volatile_store class=volatile
}

KERNEL long double long_doubles(const double *x, int n) {
    long double s = 0;
    for (int i = 0; i < n; i++) s += (long double)x[i] * x[i]; // LOOP name=long_doubles class=fp-reduction
    return s;
}

// The bound is read from memory that the stores may change.
struct bounded {
    int n;
};
KERNEL void bound_in_memory(int *x, const struct bounded *limit) {
    for (int i = 0; i < limit->n; i++) x[i] += 2; // LOOP name=bound_in_memory class=int-map
}

KERNEL uint32_t crc_bits(const uint8_t *p, int n) {
    uint32_t crc = ~0u;
    for (int i = 0; i < n; i++) { // LOOP name=crc_bytes class=nest-outer
        crc ^= p[i];
        for (int k = 0; k < 8; k++) crc = (crc >> 1) ^ (0xEDB88320u & -(crc & 1)); // LOOP name=crc_bits class=recurrence
    }
    return ~crc;
}

// ---- running them

static void fresh(void) {
    for (int i = 0; i < N + 8; i++) {
        a[i] = 0;
        b[i] = (i * 37 % 101) / 101.0;
        c[i] = (i * 61 % 89) / 89.0;
        d[i] = (i * 13 % 71) / 71.0 + 0.01;
        fa[i] = 0;
        fb[i] = (float)(i * 37 % 64) / 64.0f;
        fc[i] = (float)(i * 11 % 32) / 32.0f;
        ia[i] = i % 17;
        ib[i] = i * 37 % 1001;
        ic[i] = i * 61 % 89;
        position[i] = i * 7 % N;
        ua[i] = 0;
        ub[i] = (uint8_t)(i * 37);
        uc[i] = (uint8_t)(i * 61);
        text[i] = (char)('a' + i % 26);
    }
    text[N] = '\n';
    for (int i = 0; i < N; i++) {
        particles[i] = (struct particle){b[i], c[i], d[i], i, d[i] + c[i]};
        nodes[i].value = b[i];
        nodes[i].next = 0;
    }
    for (int i = 0; i + 1 < N; i++) nodes[i * 7 % N].next = &nodes[(i + 1) * 7 % N];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            ma[i][j] = (i * 5 + j * 3) % 16 / 16.0;
            mb[i][j] = (i * 7 + j) % 16 / 16.0;
            mc[i][j] = 0;
        }
}

static double checksum(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * (1 + i % 7);
    return s;
}
static double checksum_float(const float *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += (double)x[i] * (1 + i % 7);
    return s;
}
static double checksum_int(const int *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += (double)x[i] * (1 + i % 7);
    return s;
}

#define RUN(name, call, value)                   \
    do {                                         \
        fresh();                                 \
        call;                                    \
        printf("%s %.9g\n", name, (double)(value)); \
    } while (0)
#define RUN_D(name, call) RUN(#name, call, checksum(a, N))
#define RUN_F(name, call) RUN(#name, call, checksum_float(fa, N))
#define RUN_I(name, call) RUN(#name, call, checksum_int(ia, N))
#define RUN_M(name, call) RUN(#name, call, checksum(&mc[0][0], M *M))
#define RUN_V(name, call) RUN(#name, double v = (double)(call), v)

// Sizes go through here so that no compiler knows them.
static volatile int size = N;

int main(void) {
    int n = size;
    volatile double factor = 1.5;
    double s = factor;
    RUN_D(triad, triad(a, b, c, s, n));
    RUN_D(daxpy, daxpy(a, b, s, n));
    RUN_F(saxpy, saxpy(fa, fb, (float)s, n));
    RUN_D(triad_alias, triad_alias(a, b, c, s, n));
    RUN_D(stencil3, stencil3(a, b, n));
    RUN_D(square_roots, square_roots(a, b, n));
    RUN_D(divisions, divisions(a, b, c, n));
    RUN_D(divide_by_invariant, divide_by_invariant(a, b, s, n));
    RUN_D(polynomial, polynomial(a, b, n));
    RUN_D(absolute, absolute(a, b, n));
    RUN_D(select_values, select_values(a, b, c, n));
    RUN_F(narrow, narrow(fa, b, n));
    RUN_D(widen, widen(a, fb, n));
    RUN_D(integer_to_double, integer_to_double(a, ib, n));
    RUN_F(mixed_width, mixed_width(fa, fb, n));
    RUN_I(integer_add, integer_add(ia, ib, ic, n));
    RUN_I(integer_divide, integer_divide(ia, ib, ic, n));
    fresh();
    saturating_add(ua, ub, uc, n);
    printf("saturating_add %u\n", byte_sum(ua, n));
    RUN_D(copy, copy(a, b, n));
    fresh();
    copy(a, b, n);
    fill_zero(a, n / 2);
    printf("fill_zero %.9g\n", checksum(a, N));
    RUN_D(fill_value, fill_value(a, s, n));
    RUN_D(reverse, reverse(a, b, n));
    RUN_D(stride_two, stride_two(a, b, n));
    RUN("array_of_structures", array_of_structures(particles, s, n), particles[n / 2].x + particles[n - 1].x);
    RUN_D(gather, gather(a, b, position, n));
    RUN_D(scatter, scatter(a, b, position, n));
    RUN_D(conditional_store, conditional_store(a, b, n));
    RUN_I(switched, switched(ia, ib, n));
    RUN_V(sum, sum(b, n));
    RUN_V(dot, dot(b, c, n));
    RUN_V(dot_float, dot_float(fb, fc, n));
    RUN_V(maximum, maximum(d, n));
    RUN_V(integer_sum, integer_sum(ib, n));
    RUN_V(integer_dot, integer_dot(ib, ic, n));
    RUN_V(count_equal, count_equal(ia, 5, n));
    RUN_V(integer_maximum, integer_maximum(ib, n));
    RUN_V(byte_sum, byte_sum(ub, n));
    RUN_V(index_of_maximum, index_of_maximum(d, n));
    RUN_D(prefix_sum, prefix_sum(a, b, n));
    RUN_D(recurrence, recurrence(a, b, n));
    RUN_V(linear_congruence, linear_congruence(42, n));
    RUN_I(histogram, histogram(ia, ib, n));
    RUN_D(distance_eight, distance_eight(a, n));
    RUN_V(find_first, find_first(ib, 500, n));
    RUN_V(sum_until_negative, sum_until_negative(b, n));
    RUN_V(string_length, string_length(text));
    RUN_V(list_sum, list_sum(nodes));
    RUN_V(newton, newton(d[5]));
    RUN_D(calls, calls(a, b, n));
    RUN_D(indirect_calls, indirect_calls(a, b, s > 1 ? opaque : sqrt, n));
    RUN_D(exponentials, exponentials(a, b, n));
    RUN_D(powers, powers(a, b, n));
    RUN_F(sines, sines(fa, fb, n));
    RUN_D(inlined, inlined(a, b, n));
    RUN("scale", (scale_first(b, n), scale_second(b, n)), checksum(b, N));
    RUN_M(matrix_ijk, matrix_ijk());
    RUN_M(matrix_ikj, matrix_ikj());
    RUN_M(transpose, transpose());
    RUN_M(jacobi, jacobi(mc, ma));
    RUN_V(triangular, triangular(size < M ? size : M));
    RUN_I(bubble_sort, bubble_sort(ia, 200));
    volatile int flag = 0;
    RUN("volatile_store", volatile_store(&flag, n), flag);
    RUN_V(long_doubles, long_doubles(b, n));
    struct bounded limit = {n};
    RUN_I(bound_in_memory, bound_in_memory(ia, &limit));
    RUN_V(crc_bits, crc_bits(ub, n));
    return 0;
}
