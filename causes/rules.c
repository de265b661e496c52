/* Generated credit scoring rules: every rule adjusts one of eight partial
   scores; the generator wrote all rules as straight code. */
#include <stdint.h>
#include <stdio.h>
#define C ((uint64_t)(0x10000001u + (__COUNTER__ * 7919u & 0xfffffffu)))
#define R1 s0 += C; s1 ^= C; s2 += C; s3 ^= C; s4 += C; s5 ^= C; s6 += C; s7 ^= C; \
           s0 ^= C; s1 += C; s2 ^= C; s3 += C; s4 ^= C; s5 += C; s6 ^= C; s7 += C;
#define R4 R1 R1 R1 R1
#define R16 R4 R4 R4 R4
#define R64 R16 R16 R16 R16
#define R256 R64 R64 R64 R64
int main(void)
{
    uint64_t s0 = 1, s1 = 2, s2 = 3, s3 = 4, s4 = 5, s5 = 6, s6 = 7, s7 = 8;
    for (int n = 0; n < 1200000; n++) {
        R256 R256 R256 R256
    }
    printf("%016llx\n", (unsigned long long)(s0 ^ s1 ^ s2 ^ s3 ^ s4 ^ s5 ^ s6 ^ s7));
    return 0;
}
