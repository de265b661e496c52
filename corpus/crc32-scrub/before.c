/* Storage scrubber: keeps a CRC-32 (IEEE 802.3, reflected) for every segment
 * of a block store and re-verifies them after each round of writes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SEGMENTS 128
#define SEG_BYTES 65536
#define ROUNDS 50

static uint32_t table[256];

static void crc_init(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = (c & 1) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
}

static uint32_t crc32(const uint8_t *p, size_t n)
{
    uint32_t c = 0xFFFFFFFFu;
    for (size_t i = 0; i < n; i++)
        c = table[(c ^ p[i]) & 0xFF] ^ (c >> 8);
    return c ^ 0xFFFFFFFFu;
}

static uint64_t rng_state = 88172645463325252ULL;
static uint64_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state;
}

int main(void)
{
    uint8_t *store = malloc((size_t)SEGMENTS * SEG_BYTES);
    uint32_t known[SEGMENTS];
    if (!store)
        return 1;
    crc_init();
    for (size_t i = 0; i < (size_t)SEGMENTS * SEG_BYTES; i++)
        store[i] = (uint8_t)(rng() >> 24);
    for (int s = 0; s < SEGMENTS; s++)
        known[s] = crc32(store + (size_t)s * SEG_BYTES, SEG_BYTES);

    long changed = 0;
    uint32_t fold = 0;
    for (int r = 0; r < ROUNDS; r++) {
        for (int w = 0; w < 90; w++) {
            uint64_t x = rng();
            store[x % ((size_t)SEGMENTS * SEG_BYTES)] ^= (uint8_t)(x >> 56);
        }
        for (int s = 0; s < SEGMENTS; s++) {
            /* segments end in a trailer of varying size that is not covered */
            size_t len = SEG_BYTES - (size_t)(s % 13);
            uint32_t c = crc32(store + (size_t)s * SEG_BYTES, len);
            if (c != known[s]) {
                changed++;
                known[s] = c;
            }
            fold = (fold << 5 | fold >> 27) ^ c;
        }
    }
    printf("check %08x\n", crc32((const uint8_t *)"123456789", 9));
    printf("changed %ld fold %08x first %08x last %08x\n", changed, fold,
           known[0], known[SEGMENTS - 1]);
    free(store);
    return 0;
}
