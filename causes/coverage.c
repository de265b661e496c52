/* Coverage maps of a test farm: compares the maps of two builds where the
   mask says that a block counts, and folds the differences to one word. */
#include <stdio.h>
#include <stdint.h>

#define WORDS 10000
static uint64_t now[WORDS], before[WORDS], mask[WORDS];

__attribute__((noinline))
static uint64_t fold(const uint64_t *a, const uint64_t *b, const uint64_t *m, int n)
{
    uint64_t acc = 0;
    for (int i = 0; i < n; i++)
        acc += (a[i] ^ b[i]) & m[i];
    return acc;
}

int main(void)
{
    uint64_t r = 99, key = 0;
    for (int i = 0; i < WORDS; i++) {
        r = r * 6364136223846793005ULL + 1442695040888963407ULL;
        now[i] = r ^ (r >> 31);
        before[i] = r * 3;
        mask[i] = r >> 7;
    }
    for (int run = 0; run < 1300000; run++) {
        key += fold(now, before, mask, WORDS);
        now[run % WORDS] ^= key;
    }
    printf("key %016llx\n", (unsigned long long)key);
    return 0;
}
