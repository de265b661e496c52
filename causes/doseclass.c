/* Radiation monitor: counts how many readings lie under each of the limits
   that the authorities have set for the report. */
#include <stdio.h>
#include <stdint.h>

#define N 3000
static uint32_t reading[N];
static const uint32_t limit[10] = { 900, 1700, 2500, 4000, 7000, 11000, 18000, 30000, 44000, 60000 };

static void classes(const uint32_t *x, int n, uint32_t c[10])
{
    uint32_t c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0, c8 = 0, c9 = 0;
    for (int i = 0; i < n; i++) {
        uint32_t v = x[i];
        c0 += v < limit[0];
        c1 += v < limit[1];
        c2 += v < limit[2];
        c3 += v < limit[3];
        c4 += v < limit[4];
        c5 += v < limit[5];
        c6 += v < limit[6];
        c7 += v < limit[7];
        c8 += v < limit[8];
        c9 += v < limit[9];
    }
    c[0] += c0, c[1] += c1, c[2] += c2, c[3] += c3, c[4] += c4;
    c[5] += c5, c[6] += c6, c[7] += c7, c[8] += c8, c[9] += c9;
}

int main(void)
{
    uint32_t c[10] = { 0 }, r = 23;
    uint64_t key = 0;
    for (int i = 0; i < N; i++) {
        r = r * 1664525u + 1013904223u;
        reading[i] = r >> 16;
    }
    for (int t = 0; t < 640000; t++) {
        classes(reading, N, c);
        reading[t % N] = (reading[t % N] + c[t % 10]) & 0xffff;
    }
    for (int k = 0; k < 10; k++)
        key = key * 31 + c[k];
    printf("classes %016llx\n", (unsigned long long)key);
    return 0;
}
