/* Compiled logic simulation: every cycle evaluates all gates of a synthetic
   netlist on 64 stimulus patterns at once (two-phase registers). */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef CYCLES
#define CYCLES 1500000
#endif
#define NETS 1024
#define PIN(n, k) ((((n) * 2654435761u + (k) * 40503u * 65537u) >> 13) & (NETS - 1))
#define GATE(n) \
    d[(n) & (NETS - 1)] = ((q[PIN(n, 1)] & q[PIN(n, 2)]) ^ (q[PIN(n, 3)] | 0x10101u * (((n) & 127) + 3))) + q[PIN(n, 4)];
#define G4(n) GATE(n) GATE(n + 1) GATE(n + 2) GATE(n + 3)
#define G16(n) G4(n) G4(n + 4) G4(n + 8) G4(n + 12)
#define G64(n) G16(n) G16(n + 16) G16(n + 32) G16(n + 48)
#define G256(n) G64(n) G64(n + 64) G64(n + 128) G64(n + 192)
#define G1024(n) G256(n) G256(n + 256) G256(n + 512) G256(n + 768)

int main(void)
{
    uint64_t *q = malloc(NETS * 8), *d = malloc(NETS * 8);
    uint64_t s = 9;
    for (int i = 0; i < NETS; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        q[i] = s ^ s >> 29;
    }
    for (long t = 0; t < CYCLES; t++) {
        G1024(0u)
        G1024(1024u)
        uint64_t *x = q; q = d; d = x;
    }
    uint64_t sum = 0;
    for (int i = 0; i < NETS; i++) sum = sum * 3 + q[i];
    printf("netlist %016llx\n", (unsigned long long)sum);
    free(q); free(d);
    return 0;
}
