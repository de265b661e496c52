/* Checks bus tickets against a large table of issued numbers; valid tickets
   and refused ones are journalled differently. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef BITS
#define BITS 20
#endif
#ifndef CHECKS
#define CHECKS 230000000u
#endif
static uint32_t valid[512], refused[512];
static uint32_t check(const uint32_t *issued, uint32_t n)
{
    uint64_t t = 1;
    uint32_t nv = 0, nr = 0;
    for (uint32_t i = 0; i < n; i++) {
        t = t * 6364136223846793005ull + 1442695040888963407ull;
        uint32_t e = issued[t >> (64 - BITS)];
        if (e & 1) {
            valid[nv & 511] = e;
            nv++;
        } else {
            refused[nr & 511] += e ^ nv;
            nr += 1 + (e & 2);
        }
    }
    return nv * 3 + nr;
}
int main(void)
{
    uint32_t n = 1u << BITS, s = 9, sum;
    uint32_t *issued = malloc((size_t)n * sizeof *issued);
    if (!issued)
        return 1;
    for (uint32_t i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        issued[i] = s >> 7;
    }
    sum = check(issued, CHECKS);
    for (int i = 0; i < 512; i++)
        sum += valid[i] ^ refused[i];
    printf("%u\n", (unsigned)sum);
    free(issued);
    return 0;
}
