/* Merges bursts of events from many sensors: each batch arrives ordered by
 * sensor and is put in order of time before the gaps are analysed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1200000
#define BATCHES 5

struct event {
    uint64_t time;      /* microseconds since midnight */
    uint32_t id;        /* arrival number, ascending */
    float value;
};

static uint64_t state = 0x1234567;
static uint64_t rnd(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1DULL;
}

#define BITS 10
#define BUCKETS (1u << BITS)
#define PASSES 4    /* 40 bits cover a day in microseconds */

/* Stable LSD radix sort on the time; ids ascend in the input, so stability
 * keeps them in order among equal times. */
static void sort_events(struct event *e, size_t n)
{
    static size_t count[PASSES][BUCKETS];
    struct event *tmp = malloc(n * sizeof *tmp);
    if (!tmp)
        abort();
    memset(count, 0, sizeof count);
    for (size_t i = 0; i < n; i++)
        for (int p = 0; p < PASSES; p++)
            count[p][e[i].time >> (p * BITS) & (BUCKETS - 1)]++;
    struct event *src = e, *dst = tmp;
    for (int p = 0; p < PASSES; p++) {
        size_t at = 0;
        for (unsigned k = 0; k < BUCKETS; k++) {
            size_t c = count[p][k];
            count[p][k] = at;
            at += c;
        }
        for (size_t i = 0; i < n; i++)
            dst[count[p][src[i].time >> (p * BITS) & (BUCKETS - 1)]++] = src[i];
        struct event *t = src;
        src = dst;
        dst = t;
    }
    free(tmp);  /* PASSES is even: the result is back in e */
}

static void make_batch(struct event *e, size_t n, uint32_t first)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x = rnd();
        e[i].time = (x >> 20) % 86400000000ULL;
        if (x % 16 == 0)
            e[i].time -= e[i].time % 1000000;
        e[i].id = first + (uint32_t)i;
        e[i].value = (float)(x & 1023) - 511.5f;
    }
}

int main(void)
{
    struct event *e = malloc(BATCH * sizeof *e);
    if (!e)
        return 1;
    for (int b = 0; b < BATCHES; b++) {
        make_batch(e, BATCH, (uint32_t)b * BATCH);
        sort_events(e, BATCH);
        uint64_t longest = 0, fold = 0;
        double level = 0, peak = 0;
        for (size_t i = 1; i < BATCH; i++) {
            uint64_t gap = e[i].time - e[i - 1].time;
            if (gap > longest)
                longest = gap;
            level = 0.999 * level + e[i].value;
            if (level > peak)
                peak = level;
            fold = fold * 1000003 + e[i].id;
        }
        printf("batch %d first %llu last %llu longest gap %llu peak %.6f fold %016llx\n", b,
               (unsigned long long)e[0].time, (unsigned long long)e[BATCH - 1].time,
               (unsigned long long)longest, peak, (unsigned long long)fold);
    }
    free(e);
    return 0;
}
