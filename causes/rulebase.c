/* Credit scoring: a generated rule base compares the fields of an
   application with the limits of the rules and counts hits per class. */
#include <stdint.h>
#include <stdio.h>
#define C(n) ((int)((n) * 2654435761u >> 3) + 70000)
#define R1(n) a += f[(n) % 61] > C(n); b += f[(n) % 59] ^ C((n) + 1); \
    c += f[(n) % 53] < C((n) + 2); d += f[(n) % 47] | C((n) + 3);
#define R8(n) R1(n) R1((n) + 4) R1((n) + 8) R1((n) + 12) \
    R1((n) + 16) R1((n) + 20) R1((n) + 24) R1((n) + 28)
#define R64(n) R8(n) R8((n) + 32) R8((n) + 64) R8((n) + 96) \
    R8((n) + 128) R8((n) + 160) R8((n) + 192) R8((n) + 224)
#define R512(n) R64(n) R64((n) + 256) R64((n) + 512) R64((n) + 768) \
    R64((n) + 1024) R64((n) + 1280) R64((n) + 1536) R64((n) + 1792)
enum { FIELDS = 64, APPLICANTS = 16, ROUNDS = 62000 };
static int field[APPLICANTS][FIELDS];
static uint32_t __attribute__((noinline)) score(void) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    for (int k = 0; k < APPLICANTS; k++) {
        const int *f = field[k];
        R512(0) R512(2048) R512(4096) R512(6144)
    }
    return a ^ b ^ c ^ d;
}
int main(void) {
    uint32_t s = 3, sum = 0;
    for (int k = 0; k < APPLICANTS; k++)
        for (int i = 0; i < FIELDS; i++) {
            s = s * 1664525u + 1013904223u;
            field[k][i] = (int)(s >> 3);
        }
    for (int r = 0; r < ROUNDS; r++) {
        field[r % APPLICANTS][r % FIELDS] ^= r;
        sum = sum * 3 + score();
    }
    printf("rulebase %08x\n", sum);
    return 0;
}
