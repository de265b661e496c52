/* Kernels as programs have them: linear algebra over macros, stencils, signals, images, checksums, sorting, tables. For holding
 * iterations as written against the truth; marks and form as in loops.c. */
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

#ifndef SIZE
#define SIZE 61
#endif
#define DATA_TYPE double
#define PIXELS 1024
typedef float real;
typedef struct { real x, y, z, mass; } body_t;
typedef struct { uint8_t r, g, b; } pixel;
typedef struct list { struct list *next; int key; } list;

static DATA_TYPE A[SIZE][SIZE], B[SIZE][SIZE], C[SIZE][SIZE], D[SIZE][SIZE];
static DATA_TYPE x[SIZE], y[SIZE], tmp[SIZE];

/* Linear algebra. */
NI void gemm(DATA_TYPE alpha, DATA_TYPE beta, int ni, int nj, int nk) {
    for (int i = 0; i < ni; i++) { IT
        for (int j = 0; j < nj; j++) { IT
            C[i][j] *= beta; }
        for (int k = 0; k < nk; k++) { IT
            for (int j = 0; j < nj; j++) { IT
                C[i][j] += alpha * A[i][k] * B[k][j]; } }
    }
}
NI void atax(void) {
    for (int i = 0; i < SIZE; i++) { IT
        y[i] = 0; }
    for (int i = 0; i < SIZE; i++) { IT
        tmp[i] = 0.0;
        for (int j = 0; j < SIZE; j++) { IT
            tmp[i] = tmp[i] + A[i][j] * x[j]; }
        for (int j = 0; j < SIZE; j++) { IT
            y[j] = y[j] + A[i][j] * tmp[i]; }
    }
}
NI void mvt(int n) {
    int i, j;
    for (i = 0; i < n; i++) { IT
        for (j = 0; j < n; j++) { IT
            x[i] = x[i] + A[i][j] * y[j]; } }
    for (i = 0; i < n; i++) { IT
        for (j = 0; j < n; j++) { IT
            tmp[i] = tmp[i] + A[j][i] * y[j]; } }
}
NI void syrk(DATA_TYPE alpha, int n) {
    for (int i = 0; i < n; i++) { IT
        for (int j = 0; j <= i; j++) { IT
            C[i][j] *= 0.5; }
        for (int k = 0; k < n; k++) { IT
            for (int j = 0; j <= i; j++) { IT
                C[i][j] += alpha * A[i][k] * A[j][k]; } } }
}
NI void lu(int n) {
    for (int i = 0; i < n; i++) { IT
        for (int j = 0; j < i; j++) { IT
            for (int k = 0; k < j; k++) { IT
                D[i][j] -= D[i][k] * D[k][j]; }
            D[i][j] /= D[j][j] + 10;
        }
        for (int j = i; j < n; j++) { IT
            for (int k = 0; k < i; k++) { IT
                D[i][j] -= D[i][k] * D[k][j]; } }
    }
}
NI void trisolv(int n) {
    for (int i = 0; i < n; i++) { IT
        x[i] = y[i];
        for (int j = 0; j < i; j++) { IT
            x[i] -= A[i][j] * x[j] * 0.01; }
        x[i] = x[i] / (A[i][i] + 2);
    }
}
NI DATA_TYPE norm_rows(double **rows, int n, int m) {
    DATA_TYPE s = 0;
    for (int i = 0; i < n; i++) { IT
        double *row = rows[i];
        for (int j = 0; j < m; j++) { IT
            s += row[j] * row[j]; }
    }
    return s;
}
NI void scale_rows(double **rows, int n, int m) {
    for (int i = 0; i < n; i++) { IT
        for (int j = 0; j < m; j++) { IT
            rows[i][j] *= 1.5; } }
}
NI double covariance(int m, int n) {
    double t = 0;
    for (int j = 0; j < m; j++) { IT
        double mean = 0;
        for (int i = 0; i < n; i++) { IT
            mean += A[i][j]; }
        mean /= n;
        for (int i = 0; i < n; i++) { IT
            A[i][j] -= mean * 0.001; }
        t += mean;
    }
    return t;
}
NI void floyd(int *path, int n) {
    for (int k = 0; k < n; k++) { IT
        for (int i = 0; i < n; i++) { IT
            for (int j = 0; j < n; j++) { IT
                int through = path[i * n + k] + path[k * n + j];
                path[i * n + j] = path[i * n + j] < through ? path[i * n + j] : through; } } }
}

/* Stencils. */
NI void jacobi2d(int steps, int n) {
    for (int t = 0; t < steps; t++) { IT
        for (int i = 1; i < n - 1; i++) { IT
            for (int j = 1; j < n - 1; j++) { IT
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]); } }
        for (int i = 1; i < n - 1; i++) { IT
            for (int j = 1; j < n - 1; j++) { IT
                A[i][j] = B[i][j]; } }
    }
}
NI void seidel(int n) {
    for (int i = 1; i <= n - 2; i++) { IT
        for (int j = 1; j <= n - 2; j++) { IT
            A[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j]) / 5.0; } }
}
NI void wave(real *restrict next, const real *now, const real *last, int n) {
    for (int i = 1; i < n - 1; i++) { IT
        real d = now[i - 1] - 2 * now[i] + now[i + 1];
        next[i] = 2 * now[i] - last[i] + 0.25f * d; }
}
NI void fdtd(double *e, const double *h, int n) {
    for (int i = 1; i < n; i++) { IT
        e[i] = e[i] - 0.5 * (h[i] - h[i - 1]); }
}

/* Signals and images. */
NI void fir(real *out, const real *in, const real *taps, int n) {
    for (int i = 0; i < n; i++) { IT
        real s = 0;
        for (int k = 0; k < 16; k++) { IT
            s += in[i + k] * taps[k]; }
        out[i] = s; }
}
NI void biquad(real *out, const real *in, int n) {
    real a = 0, b = 0;
    for (int i = 0; i < n; i++) { IT
        real w = in[i] - 0.5f * a - 0.2f * b;
        out[i] = w + 2 * a + b;
        b = a;
        a = w; }
}
NI void gray(uint8_t *out, const pixel *in, int n) {
    for (int i = 0; i < n; i++) { IT
        out[i] = (in[i].r * 77 + in[i].g * 150 + in[i].b * 29) >> 8; }
}
NI void invert(uint8_t *p) {
    for (int i = 0; i < PIXELS; i++) { IT
        p[i] = 255 - p[i]; }
}
NI void blend(uint8_t *restrict d, const uint8_t *restrict s, int alpha, int n) {
    for (int i = 0; i < n; i++) { IT
        d[i] = (s[i] * alpha + d[i] * (256 - alpha)) >> 8; }
}
NI void threshold(uint8_t *p, uint8_t level, int n) {
    for (int i = 0; i < n; i++) { IT
        if (p[i] > level) p[i] = 255;
        else p[i] = 0; }
}
NI void mix16(int16_t *restrict out, const int16_t *restrict a, const int16_t *restrict b, int n) {
    for (int i = 0; i < n; i++) { IT
        int v = a[i] + b[i];
        if (v > 32767) v = 32767;
        if (v < -32768) v = -32768;
        out[i] = v; }
}
NI void butterflies(real *re, real *im, int n) {
    for (int i = 0; i < n / 2; i++) { IT
        real r = re[i] - re[i + n / 2], m = im[i] - im[i + n / 2];
        re[i] += re[i + n / 2];
        im[i] += im[i + n / 2];
        re[i + n / 2] = r;
        im[i + n / 2] = m; }
}
NI void deinterleave(real *l, real *r, const real *both, int n) {
    for (int i = 0; i < n; i++) { IT
        l[i] = both[2 * i];
        r[i] = both[2 * i + 1]; }
}

/* Particles. */
NI void move(body_t *b, real dt, int n) {
    for (int i = 0; i < n; i++) { IT
        b[i].x += dt * b[i].mass;
        b[i].y += dt;
        b[i].z -= dt; }
}
NI real energy(const body_t *b, int n) {
    real e = 0;
    for (int i = 0; i < n; i++) { IT
        for (int j = i + 1; j < n; j++) { IT
            real dx = b[i].x - b[j].x, dy = b[i].y - b[j].y;
            e += b[j].mass / sqrtf(dx * dx + dy * dy + 1); } }
    return e;
}
NI real total_mass(const body_t *b, int n) {
    real m = 0;
    for (const body_t *p = b; p < b + n; p++) { IT m += p->mass; }
    return m;
}

/* Checksums, tables and text. */
NI uint32_t adler(const uint8_t *p, int n) {
    uint32_t a = 1, b = 0;
    for (int i = 0; i < n; i++) { IT
        a = (a + p[i]) % 65521;
        b = (b + a) % 65521; }
    return b << 16 | a;
}
NI uint32_t crc(const uint32_t *table, const uint8_t *p, int n) {
    uint32_t c = ~0u;
    while (n--) { IT c = table[(c ^ *p++) & 255] ^ (c >> 8); }
    return ~c;
}
NI uint32_t fnv(const char *s) {
    uint32_t h = 2166136261u;
    while (*s) { IT h = (h ^ (uint8_t)*s++) * 16777619u; }
    return h;
}
NI void make_table(uint32_t *table) {
    for (uint32_t i = 0; i < 256; i++) { IT
        uint32_t c = i;
        for (int k = 0; k < 8; k++) { IT c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1; }
        table[i] = c; }
}
NI uint64_t xorshift(uint64_t s, int n) {
    for (int i = 0; i < n; i++) { IT
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17; }
    return s;
}
NI int popcounts(const uint64_t *p, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) { IT c += __builtin_popcountll(p[i]); }
    return c;
}
NI void upper(char *s, int n) {
    for (int i = 0; i < n; i++) { IT
        if (s[i] >= 'a' && s[i] <= 'z') s[i] -= 32; }
}
NI int words(const char *s) {
    int n = 0, in = 0;
    for (; *s; s++) { IT
        if (*s == ' ') in = 0;
        else if (!in) { in = 1; n++; } }
    return n;
}
NI int same(const uint8_t *a, const uint8_t *b, int n) {
    int differ = 0;
    for (int i = 0; i < n; i++) { IT differ |= a[i] ^ b[i]; }
    return differ;
}
NI void key_stream(uint8_t *restrict out, const uint8_t *restrict in, const uint8_t *restrict key, int n) {
    for (int i = 0; i < n; i++) { IT out[i] = in[i] ^ key[i & 15]; }
}
NI int longest(const int *a, int n) {
    int best = 1, run = 1;
    for (int i = 1; i < n; i++) { IT
        run = a[i] > a[i - 1] ? run + 1 : 1;
        if (run > best) best = run; }
    return best;
}

/* Sorting, searching, dynamic programming. */
NI void bubble(int *a, int n) {
    for (int i = 0; i < n - 1; i++) { IT
        for (int j = 0; j < n - 1 - i; j++) { IT
            if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } } }
}
NI int partition(int *a, int n) {
    int at = 0, pivot = a[n - 1];
    for (int i = 0; i < n - 1; i++) { IT
        if (a[i] < pivot) { int t = a[i]; a[i] = a[at]; a[at] = t; at++; } }
    return at;
}
NI void knapsack(int *best, const int *weight, const int *value, int n, int room) {
    for (int i = 0; i < n; i++) { IT
        for (int w = room; w >= weight[i]; w--) { IT
            int with = best[w - weight[i]] + value[i];
            if (with > best[w]) best[w] = with; } }
}
NI void lcs(int *now, const int *last, const char *a, char c, int n) {
    for (int j = 1; j < n; j++) { IT
        if (a[j - 1] == c) now[j] = last[j - 1] + 1;
        else now[j] = last[j] > now[j - 1] ? last[j] : now[j - 1]; }
}
NI int count_list(const list *l, int key) {
    int c = 0;
    for (; l; l = l->next) { IT c += l->key == key; }
    return c;
}
NI double spmv(double *out, const double *values, const int *column, const int *begin, const double *in, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { IT
        double t = 0;
        for (int k = begin[i]; k < begin[i + 1]; k++) { IT t += values[k] * in[column[k]]; }
        out[i] = t;
        s += t; }
    return s;
}
NI double pi(int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { IT double m = (i + 0.5) / n; s += 4 / (1 + m * m); }
    return s / n;
}
NI double monte(unsigned n) {
    unsigned s = 1, in = 0;
    for (unsigned i = 0; i < n; i++) { IT
        s = s * 1103515245u + 12345u; double u = (s >> 16 & 1023) / 1024.0;
        s = s * 1103515245u + 12345u; double v = (s >> 16 & 1023) / 1024.0;
        if (u * u + v * v < 1) in++; }
    return in;
}
NI int mandelbrot(double cr, double ci) {
    double zr = 0, zi = 0;
    int n = 0;
    while (n < 200 && zr * zr + zi * zi < 4) { IT double t = zr * zr - zi * zi + cr; zi = 2 * zr * zi + ci; zr = t; n++; }
    return n;
}
NI void saturate(float *a, int n) { for (int i = 0; i < n; ++i) { IT a[i] = fminf(fmaxf(a[i], 0), 1); } }
NI void one_line(double *a, const double *b, int n) { for (int i = 0; i < n; i++) { IT a[i] = b[i] * 3 + a[i]; } }
NI void copy_words(uint64_t *to, const uint64_t *from, size_t words) { while (words--) { IT *to++ = *from++; } }
NI void axpby(size_t n, const double *a, double *b) {
    for (size_t i = 0; i < n; i += 2) { IT
        b[i] = a[i] * 2 + b[i];
        b[i + 1] = a[i + 1] * 2 + b[i + 1]; }
}

static real f1[4000], f2[4000], f3[4000], f4[4000];
static double d1[4000], d2[4000], *rows[20];
static uint8_t u1[4000], u2[4000], u3[4000];
static int16_t s1[4000], s2[4000], s3[4000];
static int i1[6400], i2[4000], i3[4000];
static uint32_t table[256];
static uint64_t w1[1000], w2[1000];
static body_t bodies[1000];
static pixel pixels[1500];
static list nodes[200];
static char text[3000];
static volatile double sink;

static void run(int n) {
    gemm(0.5, 0.25, n < 61 ? n : 60, 53, 47); atax(); mvt(n < 61 ? n : 59); syrk(0.5, 31); lu(33); trisolv(57);
    sink = norm_rows(rows, 20, 150) + covariance(41, 43); scale_rows(rows, 20, n % 150); floyd(i1, 37);
    jacobi2d(2, 51); seidel(44); wave(f1, f2, f3, n); fdtd(d1, d2, n);
    fir(f1, f2, f3, n); biquad(f1, f2, n); gray(u1, pixels, n); invert(u1); blend(u1, u2, 99, n); threshold(u2, 99, n);
    mix16(s1, s2, s3, n); butterflies(f1, f2, n & ~1); deinterleave(f3, f4, f2, n);
    move(bodies, 0.1f, n); sink += energy(bodies, 70) + total_mass(bodies, n);
    sink += adler(u1, n); make_table(table); sink += crc(table, u1, n) + fnv(text) + xorshift(88172645463325252u, n);
    sink += popcounts(w1, n < 1000 ? n : 1000); upper(text, n); sink += words(text) + same(u1, u2, n); key_stream(u3, u1, u2, n);
    sink += longest(i2, n); bubble(i3, 60); sink += partition(i2, n); knapsack(i1, i3, i2, 20, 500); lcs(i1, i2, text, 'c', n);
    sink += count_list(nodes, 7);
    int begin[40], column[400];
    for (int i = 0; i < 40; i++) begin[i] = i * i / 5;
    for (int i = 0; i < 400; i++) column[i] = i * 7 % 50;
    sink += spmv(d1, d2, column, begin, d2, 39) + pi(n) + monte(n) + mandelbrot(0.1, 0.1) + mandelbrot(-0.7, 0.3) + mandelbrot(1, 1);
    saturate(f1, n); one_line(d1, d2, n); copy_words(w2, w1, n < 1000 ? n : 999); axpby(n & ~1, d1, d2);
}

int main(void) {
    for (int i = 0; i < SIZE; i++) {
        x[i] = y[i] = i * 0.01;
        for (int j = 0; j < SIZE; j++) A[i][j] = B[i][j] = C[i][j] = D[i][j] = (i * 3 + j * 5) % 17 * 0.1;
    }
    for (int i = 0; i < 4000; i++) {
        f1[i] = f2[i] = f3[i] = f4[i] = i % 23 * 0.1f; d1[i] = d2[i] = i % 19 * 0.1; u1[i] = u2[i] = i * 7; s1[i] = s2[i] = s3[i] = i * 31;
        i1[i] = i2[i] = i3[i] = (i * 37 + 11) % 101 + 1;
    }
    for (int i = 0; i < 1000; i++) { w1[i] = i * 0x9e3779b97f4a7c15u; bodies[i] = (body_t){ i % 7, i % 11, i % 13, 1 }; }
    for (int i = 0; i < 20; i++) rows[i] = d1 + 150 * i;
    for (int i = 0; i < 200; i++) { nodes[i].next = i < 199 ? nodes + i + 1 : NULL; nodes[i].key = i % 9; }
    for (int i = 0; i < 2900; i++) text[i] = i % 7 ? 'a' + i % 26 : ' ';
    run(997);
    run(512);
    run(37);
#ifdef TRUTH
    for (int i = 0; i < 1000; i++) if (truth[i]) printf("%d %lu\n", i, truth[i]);
#endif
    return 0;
}
