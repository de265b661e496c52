/* Compiled gate-level simulation: the net list of a protocol chip is
   evaluated cycle by cycle as the straight code its generator wrote. */
#include <stdint.h>
#include <stdio.h>
#define K (__COUNTER__ * 37 & 511)
#define I (0x11000001u + (__COUNTER__ * 40503u & 0xffffffu))
#define M1 a ^= in[K]; b += I; c ^= I; d += in[K]; e ^= I; f += I; g ^= in[K]; h += I; \
           a += I; b ^= in[K]; c += I; d ^= I; e += in[K]; f ^= I; g += I; h ^= in[K];
#define M4 M1 M1 M1 M1
#define M16 M4 M4 M4 M4
#define M64 M16 M16 M16 M16
#define M256 M64 M64 M64 M64
static uint32_t in[512];
int main(void)
{
    for (uint32_t i = 0; i < 512; i++)
        in[i] = i * 2654435761u;
    uint32_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
    for (int n = 0; n < 1000000; n++) {
        M256 M256 M256 M256
        in[n & 511] = a;
    }
    printf("%08x\n", a ^ b ^ c ^ d ^ e ^ f ^ g ^ h);
    return 0;
}
