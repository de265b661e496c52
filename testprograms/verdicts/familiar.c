// PROGRAM links=-lm compilers=gcc,clang
//
// Inner loops of familiar programs: compressors, images, graphs, sorting, simulation.

#include "verdicts.h"

KERNEL void paeth(unsigned char *row, const unsigned char *above, long n) {
    for (long i = 3; i < n; i++) { // LOOP name=paeth class=recurrence parallel=no
        int a = row[i - 3], b = above[i], c = above[i - 3], p = a + b - c;
        int pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
        row[i] = (unsigned char)(row[i] + (pa <= pb && pa <= pc ? a : pb <= pc ? b : c));
    }
}
KERNEL void from_yuv(unsigned char *restrict rgb, const unsigned char *restrict y, const unsigned char *restrict u, const unsigned char *restrict v, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=from_yuv class=int-map parallel=yes
        int c = 298 * (y[i] - 16), d = u[i / 2] - 128, e = v[i / 2] - 128;
        int r = (c + 409 * e + 128) >> 8, g = (c - 100 * d - 208 * e + 128) >> 8, b = (c + 516 * d + 128) >> 8;
        rgb[3 * i] = (unsigned char)(r < 0 ? 0 : r > 255 ? 255 : r);
        rgb[3 * i + 1] = (unsigned char)(g < 0 ? 0 : g > 255 ? 255 : g);
        rgb[3 * i + 2] = (unsigned char)(b < 0 ? 0 : b > 255 ? 255 : b);
    }
}
KERNEL long nearest_centre(const double *x, const double *centres, int *of, long n, long k) {
    long changed = 0;
    for (long i = 0; i < n; i++) { // LOOP name=nearest_centre class=nest-outer parallel=clauses
        double best = 1e300;
        int at = 0;
        for (long j = 0; j < k; j++) { // LOOP name=nearest_centre_inner class=argmax parallel=not-independent
            double d = (x[i] - centres[j]) * (x[i] - centres[j]);
            if (d < best) {
                best = d;
                at = (int)j;
            }
        }
        changed += of[i] != at;
        of[i] = at;
    }
    return changed;
}
KERNEL void floyd_row(double *d, const double *k, double via, long n) {
    for (long j = 0; j < n; j++) // LOOP name=floyd_row class=fp-map parallel=yes
        if (via + k[j] < d[j])
            d[j] = via + k[j];
}
KERNEL void sieve(unsigned char *composite, long n) {
    for (long p = 2; p * p < n; p++) { // LOOP name=sieve class=nest-outer parallel=no
        if (composite[p])
            continue;
        for (long m = p * p; m < n; m += p) // LOOP name=sieve_strike class=strided parallel=yes
            composite[m] = 1;
    }
}
KERNEL long partition(int *a, long n, int pivot) {
    long store = 0;
    for (long i = 0; i < n; i++) // LOOP name=partition class=recurrence parallel=no
        if (a[i] < pivot) {
            int t = a[i];
            a[i] = a[store];
            a[store++] = t;
        }
    return store;
}
KERNEL void insertion(int *a, long n) {
    for (long i = 1; i < n; i++) { // LOOP name=insertion class=nest-outer parallel=no
        int key = a[i];
        long j = i;
        while (j > 0 && a[j - 1] > key) { // LOOP name=insertion_inner class=search parallel=no
            a[j] = a[j - 1];
            j--;
        }
        a[j] = key;
    }
}
KERNEL unsigned crc(const unsigned *table, const unsigned char *p, long n) {
    unsigned c = ~0u;
    while (n--) // LOOP name=crc class=recurrence parallel=no
        c = table[(c ^ *p++) & 0xff] ^ c >> 8;
    return ~c;
}
KERNEL long code_points(const unsigned char *s, long n) {
    long count = 0;
    for (long i = 0; i < n; i++) // LOOP name=code_points class=int-reduction parallel=clauses
        count += (s[i] & 0xc0) != 0x80;
    return count;
}
KERNEL void base64(char *restrict out, const unsigned char *restrict in, const char *restrict alphabet, long groups) {
    for (long g = 0; g < groups; g++) { // LOOP name=base64 class=strided parallel=yes
        unsigned v = (unsigned)in[3 * g] << 16 | (unsigned)in[3 * g + 1] << 8 | in[3 * g + 2];
        out[4 * g] = alphabet[v >> 18], out[4 * g + 1] = alphabet[v >> 12 & 63];
        out[4 * g + 2] = alphabet[v >> 6 & 63], out[4 * g + 3] = alphabet[v & 63];
    }
}
KERNEL void attract(double *fx, double *fy, const double *x, const double *y, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=attract class=nest-outer parallel=yes
        double ax = 0, ay = 0;
        for (long j = 0; j < n; j++) { // LOOP name=attract_inner class=fp-reduction parallel=clauses
            double dx = x[j] - x[i], dy = y[j] - y[i], r = dx * dx + dy * dy + 1e-3;
            ax += dx / (r * sqrt(r)), ay += dy / (r * sqrt(r));
        }
        fx[i] = ax, fy[i] = ay;
    }
}
KERNEL long match_length(const unsigned char *a, const unsigned char *b, long most) {
    long n = 0;
    while (n < most && a[n] == b[n]) // LOOP name=match_length class=search parallel=no
        n++;
    return n;
}
KERNEL void copy_match(unsigned char *out, long distance, long n) {
    for (long i = 0; i < n; i++) // LOOP name=copy_match class=copy parallel=no length=none
        out[i] = out[i - distance];
}
KERNEL void biquad(double *out, const double *in, long n) {
    double z1 = 0, z2 = 0;
    for (long i = 0; i < n; i++) { // LOOP name=biquad class=recurrence parallel=no
        double x = in[i], y = x * .2 + z1;
        z1 = x * .3 - y * .4 + z2;
        z2 = x * .1 - y * .2;
        out[i] = y;
    }
}
KERNEL void convolved(double *restrict out, const double *restrict in, const double *restrict taps, long n, long k) {
    for (long i = 0; i < n; i++) { // LOOP name=convolved class=nest-outer parallel=yes
        double s = 0;
        for (long j = 0; j < k; j++) // LOOP name=convolved_inner class=fp-reduction parallel=clauses
            s += in[i + j] * taps[j];
        out[i] = s;
    }
}

int main(void) {
    long n = n_volatile, columns = columns_volatile;
    static unsigned char row[N], above[N], y[N], u[N], v[N], rgb[3 * N], composite[400], bytes[2 * N];
    static double x[2 * N], z[N], centres[8], fx[N], fy[N], taps[9];
    static int of[N], a[N], b[N];
    static unsigned table[256];
    static char text[300], alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    fill(x, 2 * N, 0), fill(z, N, 1), fill(centres, 8, 0.1), fill(taps, 9, 0);
    for (int i = 0; i < N; i++)
        row[i] = (unsigned char)(i * 7), above[i] = (unsigned char)(i * 5), y[i] = (unsigned char)(i + 20), u[i] = (unsigned char)(i * 3), v[i] = (unsigned char)(200 - i);
    for (int i = 0; i < 2 * N; i++)
        bytes[i] = (unsigned char)(i % 11);
    for (unsigned i = 0; i < 256; i++)
        table[i] = i * 2654435761u;
    double s = 0;
    for (int round = 0; round < 2; round++) {
        fill_int(a, N, 97), fill_int(b, N, 89);
        memset(composite, 0, sizeof composite);
        paeth(row, above, n), from_yuv(rgb, y, u, v, n), s += (double)nearest_centre(x, centres, of, n, 8);
        floyd_row(z, x, 0.25, n), sieve(composite, 400), s += (double)partition(a, n, 40), insertion(b, columns);
        s += crc(table, row, n) % 1000 + (double)code_points(rgb, n), base64(text, row, alphabet, 60);
        attract(fx, fy, x, z, columns), s += (double)match_length(bytes, bytes + 11, n), copy_match(bytes + 20, 5 + round, n);
        biquad(fx, x, n), convolved(fy, x, taps, n, 9);
    }
    printf("%.6f %.6f %d %d %c\n", s + sum(fx, N) + sum(fy, N), sum(z, N), a[5], b[5], text[9]);
}
