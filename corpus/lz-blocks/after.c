/* Read path of a compressed block store: every query unpacks the block that
 * holds its row (LZ4-like sequences of literals and back references). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 160
#define BLOCK_BYTES 65536
#define QUERIES 30000

struct block {
    uint8_t *packed;
    size_t packed_bytes;
    size_t bytes;
};

static uint64_t rng_state = 0xABCDEF;
static uint32_t rnd(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (uint32_t)(rng_state >> 16);
}

/* A sequence is: literal count, match length, offset (2 bytes), literals. */
static void make_block(struct block *b)
{
    uint8_t *q = malloc(2 * BLOCK_BYTES);
    size_t at = 0;
    if (!q)
        exit(1);
    b->packed = q;
    while (at < BLOCK_BYTES - 512) {
        uint32_t lits = rnd() % 24, len = 4 + rnd() % (rnd() % 3 ? 40 : 150);
        if (at == 0)
            lits += 32;
        size_t reach = at + lits;
        uint32_t offset = rnd() % 20 == 0 ? 1 + rnd() % 8 : 1 + rnd() % (uint32_t)reach;
        *q++ = (uint8_t)lits;
        *q++ = (uint8_t)len;
        *q++ = (uint8_t)offset;
        *q++ = (uint8_t)(offset >> 8);
        for (uint32_t i = 0; i < lits; i++)
            *q++ = (uint8_t)(rnd() % 96 + 32);
        at += lits + len;
    }
    b->bytes = at;
    b->packed_bytes = (size_t)(q - b->packed);
}

/* Copies in strides of 16 bytes that may run past the end of a sequence: the
 * next sequence overwrites the surplus, and both buffers have room for it. */
static inline void copy16(uint8_t *q, const uint8_t *p, size_t n)
{
    const uint8_t *end = q + n;
    do {
        memcpy(q, p, 16);
        q += 16;
        p += 16;
    } while (q < end);
}

static size_t unpack(const struct block *b, uint8_t *out)
{
    const uint8_t *p = b->packed, *end = p + b->packed_bytes;
    uint8_t *q = out;
    while (p < end) {
        unsigned lits = p[0], len = p[1], offset = p[2] | (unsigned)p[3] << 8;
        p += 4;
        copy16(q, p, lits);
        p += lits;
        q += lits;
        const uint8_t *from = q - offset;
        if (offset >= 16) {
            copy16(q, from, len);
            q += len;
        } else {
            while (len-- > 0)
                *q++ = *from++;
        }
    }
    return (size_t)(q - out);
}

int main(void)
{
    static struct block store[BLOCKS];
    uint8_t *out = malloc(BLOCK_BYTES + 1024);
    size_t packed = 0, plain = 0, served = 0;
    uint64_t fold = 0;
    if (!out)
        return 1;
    for (int i = 0; i < BLOCKS; i++) {
        make_block(&store[i]);
        packed += store[i].packed_bytes;
        plain += store[i].bytes;
    }
    for (int k = 0; k < QUERIES; k++) {
        const struct block *b = &store[rnd() % BLOCKS];
        size_t n = unpack(b, out);
        size_t row = rnd() % (n - 64);
        for (size_t i = row; i < row + 64; i++)
            fold = fold * 31 + out[i];
        fold ^= out[n - 1];
        served += n;
    }
    printf("packed %zu plain %zu served %zu fold %016llx\n", packed, plain, served,
           (unsigned long long)fold);
    uint32_t whole = 0;
    for (int i = 0; i < BLOCKS; i++) {
        size_t n = unpack(&store[i], out);
        for (size_t j = 0; j < n; j++)
            whole = whole * 16777619u ^ out[j];
        free(store[i].packed);
    }
    printf("whole %08x\n", whole);
    free(out);
    return 0;
}
