/* Merges the sorted event streams of two detectors. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef RUNS
#define RUNS 1200
#endif
#define N 400000

static uint32_t *sorted_stream(uint32_t seed)
{
    uint32_t *v = malloc((N + 1) * sizeof *v), t = 0;
    uint64_t s = seed;
    for (int i = 0; i < N; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        t += (uint32_t)(s >> 58) + 1;
        v[i] = t;
    }
    v[N] = 0xffffffffu;
    return v;
}

__attribute__((noinline))
static long merge(const uint32_t *a, const uint32_t *b, uint32_t shift, uint32_t *out)
{
    long na = 0, nb = 0, k = 0;
    while (na < N && nb < N) {
        if (a[na] + shift <= b[nb]) {
            out[k] = a[na] + shift;
            na++;
        } else {
            out[k] = b[nb] | 0x80000000u;
            nb++;
        }
        k++;
    }
    return k;
}

int main(void)
{
    uint32_t *a = sorted_stream(11), *b = sorted_stream(77);
    uint32_t *out = malloc(2 * N * sizeof *out);
    uint64_t sum = 0;
    for (int r = 0; r < RUNS; r++) {
        long k = merge(a, b, (uint32_t)r * 5, out);
        sum = sum * 31 + (uint64_t)k + out[k / 2] + out[k / 3];
    }
    printf("shiftmerge %llu\n", (unsigned long long)sum);
    free(a); free(b); free(out);
    return 0;
}
