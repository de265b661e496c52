/* Version store: follows the first parents of some branch tips down to the
   oldest commit and adds up the lines each author changed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COMMITS (4u << 20)
#define TIPS 3

struct commit {
    uint32_t parent, generation, author, lines;
    unsigned char tree[48];
};

static uint64_t seed = 0x2545f4914f6cdd1dull;

static uint32_t pick(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 32) * below >> 32);
}

int main(void)
{
    struct commit *log = malloc(sizeof *log * COMMITS);
    uint32_t *slot = malloc(sizeof *slot * COMMITS);
    uint64_t lines = 0;
    if (!log || !slot)
        return 1;
    for (uint32_t i = 0; i < COMMITS; i++)
        slot[i] = i;
    for (uint32_t i = COMMITS - 1; i > 0; i--) {
        uint32_t j = pick(i + 1), t = slot[i];
        slot[i] = slot[j];
        slot[j] = t;
    }
    for (uint32_t i = 0; i < COMMITS; i++) {
        struct commit *c = &log[slot[i]];
        uint32_t back = i < 4 ? (i > 0) : 1 + (pick(4) == 0);
        c->parent = slot[i - back];
        c->generation = i;
        c->author = pick(100);
        c->lines = pick(500);
    }
    for (uint32_t t = 0; t < TIPS; t++) {
        uint32_t at = slot[COMMITS - 1 - t];
        while (log[at].generation > 0) {
            lines += log[at].lines;
            at = log[at].parent;
        }
    }
    printf("lines changed %llu\n", (unsigned long long)lines);
    free(log);
    free(slot);
    return 0;
}
