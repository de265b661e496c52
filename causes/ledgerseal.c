/* Ledger sealing: runs over all booking records of a day in order and makes
   one seal of their bytes, so that later changes can be seen. */
#include <stdio.h>
#include <stdint.h>
#include <string.h>

struct booking { uint8_t len; uint8_t text[63]; };
static struct booking book[256];

static inline uint64_t seal(uint64_t h, const uint8_t *p, unsigned n)
{
    while (n) {
        h = (h ^ *p++) * 0x100000001b3ULL;
        n--;
    }
    return h;
}

static uint64_t seal_day(uint64_t h, const struct booking *b, int n)
{
    for (int i = 0; i < n; i++)
        h = seal(h, b[i].text, b[i].len);
    return h;
}

int main(void)
{
    uint64_t h = 0xcbf29ce484222325ULL, r = 12345;
    for (int i = 0; i < 256; i++) {
        book[i].len = 36 + (i * 5) % 24;
        for (int k = 0; k < 63; k++) {
            r = r * 6364136223846793005ULL + 1442695040888963407ULL;
            book[i].text[k] = r >> 56;
        }
    }
    for (int day = 0; day < 240000; day++)
        h = seal_day(h, book, 256);
    printf("seal %016llx\n", (unsigned long long)h);
    return 0;
}
