/* Disk encryption in counter mode: five blocks of the Speck128 cipher are
   encrypted side by side with the expanded key. */
#include <stdint.h>
#include <stdio.h>
#define ROUNDS 32
#define BLOCKS 150000000
#define ROR(v, n) ((v) >> (n) | (v) << (64 - (n)))
#define STEP(x, y) (x = ROR(x, 8), x += y, x ^= k, y = ROR(y, 61), y ^= x)
static uint64_t key[ROUNDS];
int main(void)
{
    for (int i = 0; i < ROUNDS; i++)
        key[i] = (uint64_t)(i + 1) * 0x9E3779B97F4A7C15ull;
    uint64_t sum = 0;
    for (uint64_t n = 0; n < BLOCKS; n += 5) {
        uint64_t a = n, b = n + 1, c = n + 2, d = n + 3, e = n + 4;
        uint64_t A = 1, B = 2, C = 3, D = 4, E = 5;
        for (int r = 0; r < ROUNDS; r++) {
            uint64_t k = key[r];
            STEP(a, A);
            STEP(b, B);
            STEP(c, C);
            STEP(d, D);
            STEP(e, E);
        }
        sum += a ^ b ^ c ^ d ^ e ^ A ^ B ^ C ^ D ^ E;
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
