/* Cellular automaton explorer: one generation of Conway's Game of Life, 64
   cells to the word. */
#include <stdint.h>
#include <stdio.h>
enum { COLS = 16, ROWS = 64, GENS = 800000 };
static uint64_t plane[2][(ROWS + 2) * COLS + 2];
static void __attribute__((noinline)) generation(const uint64_t *src, uint64_t *dst, long n) {
    for (long i = 0; i < n; i++) {
        uint64_t u = src[i], m = src[i + COLS], d = src[i + 2 * COLS];
        uint64_t ul = u << 1 | u >> 63, ur = u >> 1 | u << 63;
        uint64_t ml = m << 1 | m >> 63, mr = m >> 1 | m << 63;
        uint64_t dl = d << 1 | d >> 63, dr = d >> 1 | d << 63;
        uint64_t x = ul ^ ur, s1 = x ^ u, c1 = (ul & ur) | (x & u);
        x = dl ^ dr;
        uint64_t s2 = x ^ d, c2 = (dl & dr) | (x & d);
        uint64_t s3 = ml ^ mr, c3 = ml & mr;
        x = s1 ^ s2;
        uint64_t ones = x ^ s3, c4 = (s1 & s2) | (x & s3);
        x = c1 ^ c2;
        uint64_t t = x ^ c3, f1 = (c1 & c2) | (x & c3);
        uint64_t twos = t ^ c4, f2 = t & c4;
        dst[i + COLS] = twos & ~(f1 | f2) & (ones | m);
    }
}
int main(void) {
    uint64_t s = 77, sum = 0;
    for (int i = COLS; i < (ROWS + 1) * COLS; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        plane[0][i] = s ^ s >> 31;
    }
    for (int g = 0; g < GENS; g++) {
        generation(plane[g & 1], plane[~g & 1], ROWS * COLS);
        sum = sum * 5 + plane[~g & 1][COLS + g % (ROWS * COLS)];
    }
    printf("lifeplane %016llx\n", (unsigned long long)sum);
    return 0;
}
