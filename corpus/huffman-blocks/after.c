/* Huffman coder for blocks of instrument samples: builds a code from the
 * frequencies, encodes a block, decodes it again and checks the samples. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK (1 << 20)
#define BLOCKS 56

struct node {
    long freq;
    int child[2];       /* -1 in leaves */
    int symbol;
};

struct code {
    struct node node[511];
    int nodes, root;
    uint64_t bits[256]; /* first bit of the code in bit 0 */
    int length[256];
};

static uint64_t rng_state = 1001;
static uint32_t rnd(void)
{
    rng_state = rng_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(rng_state >> 32);
}

static void make_block(uint8_t *p)
{
    for (int i = 0; i < BLOCK; i++) {
        uint32_t x = rnd();
        int v = (int)((x & 15) + (x >> 4 & 15) + (x >> 8 & 7) + (x >> 11 & 3)) - 20;
        if ((x >> 20) % 64 == 0)
            v = (int)(x >> 12 & 255);
        p[i] = (uint8_t)v;
    }
}

static void assign(struct code *c, int n, uint64_t bits, int length)
{
    if (c->node[n].child[0] < 0) {
        c->bits[c->node[n].symbol] = bits;
        c->length[c->node[n].symbol] = length;
        return;
    }
    assign(c, c->node[n].child[0], bits, length + 1);
    assign(c, c->node[n].child[1], bits | 1ULL << length, length + 1);
}

static void build(struct code *c, const uint8_t *p)
{
    int alive[256], n = 0;
    memset(c, 0, sizeof *c);
    for (int s = 0; s < 256; s++) {
        c->node[s] = (struct node){ 1, { -1, -1 }, s };
        alive[n++] = s;
    }
    c->nodes = 256;
    for (int i = 0; i < BLOCK; i++)
        c->node[p[i]].freq += 16;
    while (n > 1) {
        int pick[2];
        for (int k = 0; k < 2; k++) {
            int m = 0;
            for (int i = 1; i < n; i++)
                if (c->node[alive[i]].freq < c->node[alive[m]].freq)
                    m = i;
            pick[k] = alive[m];
            alive[m] = alive[--n];
        }
        c->node[c->nodes] = (struct node){ c->node[pick[0]].freq + c->node[pick[1]].freq,
                                           { pick[0], pick[1] }, -1 };
        alive[n++] = c->nodes++;
    }
    c->root = alive[0];
    assign(c, c->root, 0, 0);
}

static size_t encode(const struct code *c, const uint8_t *p, uint8_t *out)
{
    uint64_t acc = 0;
    int have = 0;
    uint8_t *q = out;
    for (int i = 0; i < BLOCK; i++) {
        acc |= c->bits[p[i]] << have;
        have += c->length[p[i]];
        while (have >= 8) {
            *q++ = (uint8_t)acc;
            acc >>= 8;
            have -= 8;
        }
    }
    *q++ = (uint8_t)acc;
    return (size_t)(q - out);
}

#define PEEK 12

/* Table-driven decoding: the next PEEK bits index a table that gives the
 * symbol and its length; only codes that are longer walk the tree, from the
 * node that their first PEEK bits lead to. The input is followed by at least
 * eight readable bytes. */
static void decode(const struct code *c, const uint8_t *in, uint8_t *out)
{
    static struct { int16_t node; uint8_t symbol, length; } table[1 << PEEK];
    for (int i = 0; i < 1 << PEEK; i++) {
        int n = c->root, used = 0;
        while (used < PEEK && c->node[n].child[0] >= 0)
            n = c->node[n].child[i >> used++ & 1];
        table[i].node = (int16_t)n;
        table[i].length = (uint8_t)used;
        table[i].symbol = (uint8_t)c->node[n].symbol;
    }

    uint64_t acc = 0;
    int have = 0;
    for (int i = 0; i < BLOCK; i++) {
        if (have < 32) {
            uint32_t w;
            memcpy(&w, in, 4);
            acc |= (uint64_t)w << have;
            in += 4;
            have += 32;
        }
        unsigned k = acc & ((1u << PEEK) - 1);
        int n = table[k].node, length = table[k].length;
        uint8_t symbol = table[k].symbol;
        acc >>= length;
        have -= length;
        if (length == PEEK && c->node[n].child[0] >= 0) {
            while (c->node[n].child[0] >= 0) {
                n = c->node[n].child[acc & 1];
                acc >>= 1;
                have--;
            }
            symbol = (uint8_t)c->node[n].symbol;
        }
        out[i] = symbol;
    }
}

int main(void)
{
    uint8_t *plain = malloc(BLOCK), *packed = calloc(BLOCK, 3), *back = malloc(BLOCK);
    static struct code c;
    size_t total = 0;
    uint32_t fold = 0;
    int good = 0, longest = 0;
    if (!plain || !packed || !back)
        return 1;
    for (int b = 0; b < BLOCKS; b++) {
        make_block(plain);
        build(&c, plain);
        size_t n = encode(&c, plain, packed);
        decode(&c, packed, back);
        total += n;
        good += memcmp(plain, back, BLOCK) == 0;
        for (int i = 0; i < BLOCK; i += 101)
            fold = fold * 31 + back[i];
        for (int s = 0; s < 256; s++)
            if (c.length[s] > longest)
                longest = c.length[s];
    }
    printf("blocks %d good %d bytes %zu longest code %d fold %08x\n", BLOCKS, good, total,
           longest, fold);
    free(plain);
    free(packed);
    free(back);
    return 0;
}
