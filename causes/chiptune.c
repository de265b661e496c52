/* Sound chip emulation: six tone generators advance their phase counters
   each tick; the noise mixer folds the phases together. */
#include <stdint.h>
#include <stdio.h>
#define TICKS 3000000000u
int main(void)
{
    uint32_t p0 = 1, p1 = 2, p2 = 3, p3 = 4, p4 = 5, p5 = 6;
    uint32_t m0 = 0, m1 = 0, m2 = 0;
    for (uint32_t t = 0; t < TICKS; t++) {
        p0 += 0x01a3c59bu;
        p1 += 0x0217fe11u;
        p2 += 0x02d12c37u;
        p3 += 0x03417d55u;
        p4 += 0x0462b0a9u;
        p5 += 0x05a0ff13u;
        m0 ^= p0;
        m1 ^= p1;
        m2 ^= p2;
        m0 += p3;
        m1 += p4;
        m2 += p5;
    }
    printf("%08x %08x %08x\n", m0, m1, m2);
    return 0;
}
