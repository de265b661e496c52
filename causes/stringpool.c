/* String pool of a compiler front end: gives every source blob one 64-bit
   identity, so that equal blobs of different files are kept once. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 2048
#define BLOBS 320000

uint64_t pool_mix(uint64_t h, uint64_t word);

static uint64_t blob[WORDS];

static uint64_t pool_identity(const uint64_t *text, size_t words)
{
    uint64_t h = 0x9e3779b97f4a7c15ull ^ words;
    for (size_t i = 0; i < words; i++)
        h = pool_mix(h, text[i]);
    return h;
}

int main(void)
{
    uint64_t seed = 88172645463325252ull, all = 0;
    for (int i = 0; i < WORDS; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        blob[i] = seed;
    }
    for (int b = 0; b < BLOBS; b++) {
        blob[b % WORDS] += all | 1;
        all ^= pool_identity(blob, WORDS);
    }
    printf("pool identity %016llx\n", (unsigned long long)all);
    return 0;
}
