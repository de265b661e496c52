/* Simulates a generated gate netlist, 64 test patterns in parallel; the body
   of the cycle loop is what the netlist compiler wrote. */
#include <stdio.h>
#include <stdint.h>
#ifndef CYCLES
#define CYCLES 2300000
#endif
static uint64_t pin[64];
#define K(n) ((uint64_t)((uint32_t)(n) * 2654435761u >> 1 | 0x40000000u))
#define G1(a, n) a = (a + K(n)) ^ pin[(n) & 63];
#define SYNC __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h) : : "memory");
#define G8(n) SYNC G1(a, n) G1(b, n + 1) G1(c, n + 2) G1(d, n + 3) G1(e, n + 4) G1(f, n + 5) G1(g, n + 6) G1(h, n + 7)
#define G64(n) G8(n) G8(n + 9) G8(n + 18) G8(n + 27) G8(n + 36) G8(n + 45) G8(n + 54) G8(n + 63)
#define G512(n) G64(n) G64(n + 73) G64(n + 146) G64(n + 219) G64(n + 292) G64(n + 365) G64(n + 438) G64(n + 511)
#define G4096(n) G512(n) G512(n + 601) G512(n + 1202) G512(n + 1803) G512(n + 2404) G512(n + 3005) G512(n + 3606) G512(n + 4207)
int main(void)
{
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
    for (int i = 0; i < 64; i++)
        pin[i] = (uint64_t)i * 40503u;
    for (int t = 0; t < CYCLES; t++) {
        G4096(1)
        G512(7001)
        G512(9001)
        pin[t & 63] += a ^ h;
    }
    printf("%08x\n", (unsigned)(a + b + c + d + e + f + g + h));
    return 0;
}
