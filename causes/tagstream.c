/* Encrypts the counters of a sensor network's packet stream with a light
   block cipher, six packets side by side. */
#include <stdio.h>
#include <stdint.h>
#ifndef REPS
#define REPS 50000000
#endif
#define ROUNDS 27
static uint32_t key[ROUNDS];
#define ROR(x, r) ((x) >> (r) | (x) << (32 - (r)))
#define ROUND(x, y) x = ROR(x, 8); x += y; x ^= k; y = ROR(y, 29); y ^= x
static uint32_t packets(uint32_t c)
{
    uint32_t x0 = c, x1 = c + 1, x2 = c + 2, x3 = c + 3, x4 = c + 4, x5 = c + 5;
    uint32_t y0 = ~c, y1 = c * 3, y2 = c ^ 5, y3 = c + 77, y4 = c - 9, y5 = c ^ 81;
    for (int r = 0; r < ROUNDS; r++) {
        uint32_t k = key[r];
        ROUND(x0, y0);
        ROUND(x1, y1);
        ROUND(x2, y2);
        ROUND(x3, y3);
        ROUND(x4, y4);
        ROUND(x5, y5);
    }
    return x0 ^ y0 ^ x1 ^ y1 ^ x2 ^ y2 ^ x3 ^ y3 ^ x4 ^ y4 ^ x5 ^ y5;
}
int main(void)
{
    uint32_t s = 17, sum = 0;
    for (int i = 0; i < ROUNDS; i++)
        key[i] = s = s * 69069u + 1u;
    for (uint32_t i = 0; i < REPS; i++)
        sum += packets(i * 6u);
    printf("%08x\n", (unsigned)sum);
    return 0;
}
