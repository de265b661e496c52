/* Scores patient records with a rule list that was compiled to code: every
   rule compares one reading with its limit and adds to a score group. */
#include <stdio.h>
#include <stdint.h>
#ifndef RECORDS
#define RECORDS 1400000
#endif
static uint32_t reading[128];
#define LIM(n) ((uint32_t)(n) * 2246822519u ^ 0x5bd1e995u)
#define R1(s, n) s += p[(n) & 127] > LIM(n);
#define SYNC __asm__ volatile("" : "+r"(s0), "+r"(s1), "+r"(s2), "+r"(s3), "+r"(s4), "+r"(s5) : : "memory");
#define R6(n) SYNC R1(s0, n) R1(s1, n + 1) R1(s2, n + 2) R1(s3, n + 3) R1(s4, n + 4) R1(s5, n + 5)
#define R48(n) R6(n) R6(n + 7) R6(n + 14) R6(n + 21) R6(n + 28) R6(n + 35) R6(n + 42) R6(n + 49)
#define R384(n) R48(n) R48(n + 57) R48(n + 114) R48(n + 171) R48(n + 228) R48(n + 285) R48(n + 342) R48(n + 399)
#define R3072(n) R384(n) R384(n + 457) R384(n + 914) R384(n + 1371) R384(n + 1828) R384(n + 2285) R384(n + 2742) R384(n + 3199)
int main(void)
{
    uint32_t x = 1, s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
    const uint32_t *p = reading;
    for (int i = 0; i < 128; i++)
        reading[i] = x = x * 1664525u + 1013904223u;
    for (int r = 0; r < RECORDS; r++) {
        R3072(1)
        R3072(5001)
        reading[r & 127] = x = x * 1664525u + 1013904223u;
    }
    printf("%u\n", (unsigned)(s0 ^ s1 * 3 ^ s2 * 5 ^ s3 * 7 ^ s4 * 11 ^ s5 * 13));
    return 0;
}
