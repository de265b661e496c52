/* Backup tool: eight independent polynomial fingerprints per chunk. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef CHUNKS
#define CHUNKS 150000
#endif
#define LEN 8192

__attribute__((noinline))
static uint64_t fingerprints(const uint8_t *p, int n, uint64_t *f)
{
    uint64_t a = f[0], b = f[1], c = f[2], d = f[3], e = f[4], g = f[5], h = f[6], k = f[7];
    for (int i = 0; i < n; i++) {
        uint64_t x = p[i];
        a = a * 1000000007u + x;
        b = b * 998244353u + x;
        c = c * 1000003u + x;
        d = d * 805306457u + x;
        e = e * 402653189u + x;
        g = g * 201326611u + x;
        h = h * 100663319u + x;
        k = k * 1610612741u + x;
    }
    f[0] = a; f[1] = b; f[2] = c; f[3] = d; f[4] = e; f[5] = g; f[6] = h; f[7] = k;
    return a ^ b ^ c ^ d ^ e ^ g ^ h ^ k;
}

int main(void)
{
    uint8_t *buf = malloc(LEN);
    for (int i = 0; i < LEN; i++) buf[i] = i * i >> 3;
    uint64_t f[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, sum = 0;
    for (int c = 0; c < CHUNKS; c++) {
        buf[c % LEN] ^= c;
        sum = sum * 3 + fingerprints(buf, LEN, f);
    }
    printf("dedupe8 %016llx\n", (unsigned long long)sum);
    free(buf);
    return 0;
}
