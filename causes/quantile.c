/* Latency monitor: counts how many samples fall below each service level. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef WINDOWS
#define WINDOWS 1100000
#endif
#define SAMPLES 2000

__attribute__((noinline))
static void levels(const uint64_t *s, int n, const uint64_t *lim, uint64_t *cnt)
{
    uint64_t l0 = lim[0], l1 = lim[1], l2 = lim[2], l3 = lim[3], l4 = lim[4], l5 = lim[5];
    uint64_t c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0;
    for (const uint64_t *e = s + n; s < e; s++) {
        uint64_t x = *s;
        c0 += x < l0;
        c1 += x < l1;
        c2 += x < l2;
        c3 += x < l3;
        c4 += x < l4;
        c5 += x < l5;
    }
    cnt[0] += c0; cnt[1] += c1; cnt[2] += c2; cnt[3] += c3; cnt[4] += c4; cnt[5] += c5;
}

int main(void)
{
    uint64_t *s = malloc(SAMPLES * 8), lim[6] = { 100, 300, 500, 700, 900, 990 }, cnt[6] = { 0 };
    uint64_t r = 17;
    for (int i = 0; i < SAMPLES; i++) {
        r = r * 6364136223846793005ull + 1442695040888963407ull;
        s[i] = (r >> 33) % 1000;
    }
    for (int w = 0; w < WINDOWS; w++) {
        s[w % SAMPLES] = (s[w % SAMPLES] + 37) % 1000;
        levels(s, SAMPLES, lim, cnt);
    }
    uint64_t sum = 0;
    for (int k = 0; k < 6; k++) sum = sum * 31 + cnt[k];
    printf("quantile %llu\n", (unsigned long long)sum);
    free(s);
    return 0;
}
