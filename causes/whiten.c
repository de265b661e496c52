/* Whitens the sectors of a disk image: every word goes through a linear
   diffusion layer before the image is written. */
#include <stdio.h>
#include <stdint.h>
#ifndef REPS
#define REPS 1300000
#endif
#define WORDS 512
static uint64_t sector[WORDS];
#define ROR(x, r) ((x) >> (r) | (x) << (64 - (r)))
__attribute__((target("bmi,bmi2"))) static inline uint64_t layer(uint64_t x)
{
    return x ^ ROR(x, 3) ^ ROR(x, 11) ^ ROR(x, 19) ^ ROR(x, 28) ^ ROR(x, 37) ^ ROR(x, 44)
             ^ ROR(x, 51) ^ ROR(x, 58);
}
__attribute__((target("bmi,bmi2"))) static void whiten(uint64_t *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = layer(p[i]);
}
int main(void)
{
    uint64_t s = 42, sum = 0;
    for (int i = 0; i < WORDS; i++)
        sector[i] = s = s * 6364136223846793005ull + 1ull;
    for (int r = 0; r < REPS * 4; r++) {
        whiten(sector, WORDS);
        sum += sector[r & (WORDS - 1)];
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
