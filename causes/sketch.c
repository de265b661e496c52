/* Data replication: multilinear digest of a block of words under a random
   key, to compare replicas without sending them. */
#include <stdint.h>
#include <stdio.h>
enum { WORDS = 1024, BLOCKS = 13000000 };
static uint64_t key[WORDS], block[WORDS];
static uint64_t __attribute__((noinline)) digest(const uint64_t *k, const uint64_t *w, int n) {
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (int i = 0; i < n; i += 4) {
        a += k[i] * w[i];
        b += k[i + 1] * w[i + 1];
        c += k[i + 2] * w[i + 2];
        d += k[i + 3] * w[i + 3];
    }
    return (a ^ b) + (c ^ d);
}
int main(void) {
    uint64_t s = 5, sum = 0;
    for (int i = 0; i < WORDS; i++) {
        key[i] = s = s * 6364136223846793005ull + 1442695040888963407ull;
        block[i] = s = s * 6364136223846793005ull + 1442695040888963407ull;
    }
    for (int b = 0; b < BLOCKS; b++) {
        block[b % WORDS] += sum;
        sum = sum * 3 + digest(key, block, WORDS);
    }
    printf("sketch %016llx\n", (unsigned long long)sum);
    return 0;
}
