/* Software RAID: parity stripe of four data stripes, updated for each
   generation of a write-back buffer. */
#include <stdint.h>
#include <stdio.h>
#define N 6000
#define ROUNDS 1200000
static uint64_t d0[N], d1[N], d2[N], d3[N], par[N];
int main(void)
{
    for (int i = 0; i < N; i++) {
        d0[i] = (uint64_t)i * 0x9E3779B97F4A7C15ull;
        d1[i] = d0[i] >> 7;
        d2[i] = d0[i] << 9;
        d3[i] = ~d0[i];
    }
    uint64_t sum = 0;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++)
            par[i] = d0[i] ^ d1[i] ^ d2[i] ^ d3[i];
        d0[r % N] += par[(r * 7) % N];
        sum += par[r % N];
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
