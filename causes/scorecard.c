/* Spam filter: the exported form of a classifier of 4096 word counts, each
   compared with its own limit, as the training tool writes it out. */
#include <stdint.h>
#include <stdio.h>

#define WORDS 4096
#define MAILS 2000000

static uint32_t count[WORDS];

#define L(n) ((n) * 2654435761u / 2 + 1000003u)
#define W(v, n) v += x[n] < L(n);
#define W4(n) W(a, n) W(b, n + 1) W(c, n + 2) W(d, n + 3)
#define W16(n) W4(n) W4(n + 4) W4(n + 8) W4(n + 12)
#define W64(n) W16(n) W16(n + 16) W16(n + 32) W16(n + 48)
#define W256(n) W64(n) W64(n + 64) W64(n + 128) W64(n + 192)
#define W1024(n) W256(n) W256(n + 256) W256(n + 512) W256(n + 768)

int main(void)
{
    const uint32_t *x = count;
    uint32_t seed = 1;
    uint64_t spam = 0;
    for (int i = 0; i < WORDS; i++) {
        seed = seed * 1664525u + 1013904223u;
        count[i] = seed;
    }
    for (uint32_t m = 0; m < MAILS; m++) {
        uint64_t a = 0, b = 0, c = 0, d = 0;
        W1024(0) W1024(1024) W1024(2048) W1024(3072)
        spam += a + 2 * b + 3 * c + 4 * d;
        count[m % WORDS] += (uint32_t)spam | 1;
    }
    printf("spam points %llu\n", (unsigned long long)spam);
    return 0;
}
