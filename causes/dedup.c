/* Computes content keys of blocks in a backup store; a block whose key falls
   in the sampled range is noted in the sparse index. */
#include <stdio.h>
#include <stdint.h>
#ifndef REPS
#define REPS 170000
#endif
#define BLOCK 16384
static uint8_t block[BLOCK];
static uint64_t index_[256];
static uint64_t noted;
static uint64_t key_of(const uint8_t *p, int n, uint64_t h)
{
    for (int i = 0; i < n; i++) {
        h ^= p[i];
        h *= 0x100000001b3ull;
        if (__builtin_expect((h >> 47) == 0x1abcd, 0))
            index_[noted++ & 255] = h + (uint64_t)i;
    }
    return h;
}
int main(void)
{
    uint32_t s = 99;
    for (int i = 0; i < BLOCK; i++) {
        s = s * 1664525u + 1013904223u;
        block[i] = (uint8_t)(s >> 24);
    }
    uint64_t h = 0xcbf29ce484222325ull;
    for (int r = 0; r < REPS; r++)
        h = key_of(block, BLOCK, h);
    for (int i = 0; i < 256; i++)
        h += index_[i];
    printf("%016llx %llu\n", (unsigned long long)h, (unsigned long long)noted);
    return 0;
}
