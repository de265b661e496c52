/* Loops as an engineer writes them who works on numbers or on text: splitting and trimming fields, run lengths, moving averages,
 * quadrature, interpolation, tridiagonal systems, tables of differences. For holding iterations as written against the truth;
 * marks and form as in loops.c. */
#include <ctype.h>
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

struct sample { float time, value; uint16_t channel, flags; };

/* Numbers. */
NI double mean(const double *v, size_t n) {
    double s = 0;
    for (size_t i = 0; i < n; i++) { IT s += v[i]; }
    return n ? s / n : 0;
}
NI double variance(const double *v, size_t n, double m) {
    double s = 0;
    for (size_t i = 0; i < n; i++) { IT
        double d = v[i] - m;
        s += d * d; }
    return n > 1 ? s / (n - 1) : 0;
}
NI double trapezoid(const double *x, const double *y, int n) {
    double s = 0;
    for (int i = 1; i < n; i++) { IT s += 0.5 * (x[i] - x[i - 1]) * (y[i] + y[i - 1]); }
    return s;
}
NI double simpson(const double *y, int n, double h) {
    double s = 0;
    for (int i = 0; i + 2 < n; i += 2) { IT s += y[i] + 4 * y[i + 1] + y[i + 2]; }
    return s * h / 3;
}
NI double lookup(const double *x, const double *y, int n, double at) {
    int i = 1;
    while (i < n - 1 && x[i] < at) { IT i++; }
    return y[i - 1] + (y[i] - y[i - 1]) * (at - x[i - 1]) / (x[i] - x[i - 1]);
}
NI void moving_average(float *out, const float *in, int n, int width) {
    float s = 0;
    for (int i = 0; i < width; i++) { IT s += in[i]; }
    for (int i = width; i < n; i++) { IT
        out[i - width] = s / width;
        s += in[i] - in[i - width]; }
}
NI void thomas(double *x, const double *a, const double *b, double *c, int n) {
    for (int i = 1; i < n; i++) { IT
        double w = a[i] / b[i - 1];
        c[i] -= w * c[i - 1];
        x[i] -= w * x[i - 1]; }
    for (int i = n - 2; i >= 0; i--) { IT
        x[i] = (x[i] - c[i] * x[i + 1]) / b[i]; }
}
NI double newton(double x) {
    double r = x;
    for (int k = 0; k < 40; k++) { IT
        double next = 0.5 * (r + x / r);
        if (fabs(next - r) < 1e-12) break;
        r = next; }
    return r;
}
NI void differences(double *t, int n) {
    for (int k = 1; k < n; k++) { IT
        for (int i = n - 1; i >= k; i--) { IT
            t[i] = t[i] - t[i - 1]; } }
}
NI void outer_product(float *m, const float *u, const float *v, int rows, int columns) {
    for (int r = 0; r < rows; r++) { IT
        for (int c = 0; c < columns; c++) { IT m[r * columns + c] += u[r] * v[c]; } }
}
NI int largest_row(const double *m, int rows, int columns) {
    int best = 0;
    double most = -1;
    for (int r = 0; r < rows; r++) { IT
        double s = 0;
        for (int c = 0; c < columns; c++) { IT s += fabs(m[r * columns + c]); }
        if (s > most) { most = s; best = r; } }
    return best;
}
NI void window(float *x, int n) {
    for (int i = 0; i < n; i++) { IT x[i] *= 0.54f - 0.46f * cosf(6.2831853f * i / n); }
}
NI int zero_crossings(const float *x, int n) {
    int c = 0;
    for (int i = 1; i < n; i++) { IT
        if ((x[i - 1] < 0) != (x[i] < 0)) c++; }
    return c;
}
NI void calibrate(struct sample *s, int n, float gain, float offset) {
    for (int i = 0; i < n; i++) { IT
        s[i].value = s[i].value * gain + offset;
        if (s[i].value > 4) s[i].flags |= 1; }
}
NI float channel_sum(const struct sample *s, int n, int channel) {
    float t = 0;
    for (int i = 0; i < n; i++) { IT
        if (s[i].channel != channel) continue;
        t += s[i].value; }
    return t;
}
NI void cumulative_max(int *out, const int *in, int n) {
    int m = in[0];
    for (int i = 0; i < n; i++) { IT
        if (in[i] > m) m = in[i];
        out[i] = m; }
}

/* Text. */
NI int count_words(const char *s) {
    int n = 0;
    while (*s) { IT
        while (*s == ' ') { IT s++; }
        if (*s) n++;
        while (*s && *s != ' ') { IT s++; } }
    return n;
}
NI void to_lower(char *s) {
    for (; *s; s++) { IT
        if (*s >= 'A' && *s <= 'Z') *s += 'a' - 'A'; }
}
NI int trim(char *s, int n) {
    while (n > 0 && s[n - 1] == ' ') { IT n--; }
    s[n] = 0;
    return n;
}
NI long parse_number(const char *s) {
    long v = 0;
    while (*s >= '0' && *s <= '9') { IT v = v * 10 + (*s - '0'); s++; }
    return v;
}
NI int split(char *s, char **fields, int most) {
    int n = 0;
    char *begin = s;
    for (;;) { IT
        if (*s == ',' || *s == 0) {
            if (n < most) fields[n++] = begin;
            if (*s == 0) break;
            *s = 0;
            begin = s + 1;
        }
        s++; }
    return n;
}
NI int run_lengths(uint8_t *out, const uint8_t *in, int n) {
    int k = 0;
    for (int i = 0; i < n; ) { IT
        int j = i + 1;
        while (j < n && in[j] == in[i]) { IT j++; }
        out[k++] = in[i];
        out[k++] = j - i;
        i = j; }
    return k;
}
NI void reverse_text(char *s, int n) {
    for (int i = 0; i < n / 2; i++) { IT
        char t = s[i];
        s[i] = s[n - 1 - i];
        s[n - 1 - i] = t; }
}
NI int hexadecimal(char *out, const uint8_t *in, int n) {
    for (int i = 0; i < n; i++) { IT
        out[2 * i] = "0123456789abcdef"[in[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[in[i] & 15]; }
    return 2 * n;
}
NI void letters(unsigned *counts, const char *s, int n) {
    for (int i = 0; i < n; i++) { IT counts[(unsigned char)s[i]]++; }
}
NI int distance(int *row, const char *a, int n, const char *b, int m) {
    for (int j = 0; j <= m; j++) { IT row[j] = j; }
    for (int i = 1; i <= n; i++) { IT
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) { IT
            int up = row[j], best = corner + (a[i - 1] != b[j - 1]);
            if (up + 1 < best) best = up + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            corner = up; } }
    return row[m];
}

static double d1[2000], d2[2000], d3[2000], d4[2000];
static float f1[4000], f2[4000], f3[4000];
static int i1[2000], i2[2000];
static uint8_t u1[2000], u2[4000];
static char text[2000], copied[2000], hex[4100], *fields[100];
static unsigned counts[256];
static struct sample samples[1100];
static volatile double sink;

static void run(int n) {
    double m = mean(d1, n);
    sink = m + variance(d1, n, m) + trapezoid(d1, d2, n) + simpson(d2, n, 0.01) + lookup(d1, d2, n, n * 0.004);
    moving_average(f2, f1, n, 8); thomas(d3, d1, d4, d2, n); sink += newton(n) + newton(2);
    differences(d3, n % 60); outer_product(f3, f1, f2, n % 41, 53); sink += largest_row(d1, 20, n % 91);
    window(f1, n); sink += zero_crossings(f2, n); calibrate(samples, n, 1.5f, 0.25f);
    sink += channel_sum(samples, n, 3); cumulative_max(i2, i1, n);
    memcpy(copied, text, sizeof text); copied[n] = 0;
    sink += count_words(copied); to_lower(copied); copied[n] = copied[n + 1] = ' '; sink += trim(copied, n + 2);
    sink += parse_number("1234567x") + parse_number("98"); sink += split(copied, fields, 100);
    sink += run_lengths(u2, u1, n); reverse_text(text, n); sink += hexadecimal(hex, u1, n);
    letters(counts, text, n); sink += distance(i2, text, n % 70, text + 5, 64);
}

int main(void) {
    for (int i = 0; i < 2000; i++) {
        d1[i] = i * 0.01; d2[i] = i % 13 * 0.5; d3[i] = i % 7; d4[i] = 4 + i % 3; i1[i] = i * 37 % 1001; u1[i] = i / 3 % 5;
        text[i] = i % 7 == 3 ? ' ' : i % 31 == 0 ? ',' : (i % 3 ? 'a' : 'A') + i % 26;
    }
    for (int i = 0; i < 4000; i++) f1[i] = f2[i] = f3[i] = sinf(i * 0.1f);
    for (int i = 0; i < 1100; i++) samples[i] = (struct sample){ i, i % 9, i % 5, 0 };
    run(1003);
    run(498);
    run(39);
#ifdef TRUTH
    for (int i = 0; i < 1000; i++) if (truth[i]) printf("%d %lu\n", i, truth[i]);
#endif
    return 0;
}
