/* Lightweight block cipher in counter mode, six blocks in flight, as used to
   seal sensor logs. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef BATCHES
#define BATCHES 40000000
#endif
#define ROUNDS 27
#define R(x, y, k) (x = (x >> 8 | x << 56) + y ^ k, y = (y << 3 | y >> 61) ^ x)

__attribute__((noinline))
static uint64_t seal6(const uint64_t *key, uint64_t ctr)
{
    uint64_t x0 = ctr, x1 = ctr + 1, x2 = ctr + 2, x3 = ctr + 3, x4 = ctr + 4, x5 = ctr + 5;
    uint64_t y0 = 1, y1 = 2, y2 = 3, y3 = 4, y4 = 5, y5 = 6;
    for (const uint64_t *k = key; k < key + ROUNDS; k++) {
        uint64_t rk = *k;
        R(x0, y0, rk);
        R(x1, y1, rk);
        R(x2, y2, rk);
        R(x3, y3, rk);
        R(x4, y4, rk);
        R(x5, y5, rk);
    }
    return x0 ^ y1 ^ x2 ^ y3 ^ x4 ^ y5 ^ (y0 + x1 + y2 + x3 + y4 + x5);
}

int main(void)
{
    uint64_t key[ROUNDS], sum = 0;
    for (int i = 0; i < ROUNDS; i++) key[i] = (i + 3) * 0x9e3779b97f4a7c15ull;
    for (long b = 0; b < BATCHES; b++)
        sum = sum * 3 + seal6(key, b * 6);
    printf("sealbox %016llx\n", (unsigned long long)sum);
    return 0;
}
