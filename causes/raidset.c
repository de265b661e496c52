/* Computes the parity stripe of a disk array from four data stripes, the
   inner part of a software storage layer. */
#include <stdio.h>
#include <stdint.h>
#ifndef WORDS
#define WORDS 6144
#endif
#ifndef REPS
#define REPS 1300000
#endif
static uint64_t d[4][WORDS + 16] __attribute__((aligned(64)));
static uint64_t parity[WORDS] __attribute__((aligned(64)));
__attribute__((noinline))
static void stripe(uint64_t *restrict p, const uint64_t *restrict a, const uint64_t *restrict b,
                   const uint64_t *restrict c, const uint64_t *restrict e)
{
    for (int i = 0; i < WORDS; i++)
        p[i] = a[i] ^ b[i] ^ c[i] ^ e[i];
}
int main(void)
{
    uint64_t s = 5;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < WORDS; i++)
            d[k][i] = s = s * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t sum = 0;
    for (int r = 0; r < REPS; r++) {
        stripe(parity, d[0], d[1], d[2], d[3]);
        sum += parity[r % WORDS];
        d[r & 3][r % WORDS] += (uint64_t)r;
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
