/* Event filter of a particle detector: sorts hits into streams by energy and by time window. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct hit { uint32_t time; uint16_t energy; uint16_t channel; };

struct stream {
    uint32_t *index;
    size_t count;
};

static uint64_t rng = 0x9E3779B97F4A7C15ULL;

static uint64_t next(void)
{
    rng ^= rng << 7;
    rng ^= rng >> 9;
    return rng;
}

static void read_hits(struct hit *h, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t r = next();
        h[i].time = (uint32_t)(r >> 40);
        h[i].energy = (uint16_t)r;
        h[i].channel = (uint16_t)((r >> 16) & 1023);
    }
}

static void classify(const struct hit *h, size_t n, unsigned threshold, unsigned window,
                     struct stream *physics, struct stream *monitor, struct stream *reject)
{
    physics->count = monitor->count = reject->count = 0;
    for (size_t i = 0; i < n; i++) {
        if (h[i].energy >= threshold) {
            if ((h[i].time & 4095) < window)
                physics->index[physics->count++] = (uint32_t)i;
            else
                monitor->index[monitor->count++] = (uint32_t)i;
        } else {
            reject->index[reject->count++] = (uint32_t)i;
        }
    }
}

int main(void)
{
    const size_t n = 400000;
    struct hit *h = malloc(n * sizeof *h);
    struct stream s[3];
    uint64_t check = 0;
    size_t total[3] = { 0, 0, 0 };

    for (int k = 0; k < 3; k++)
        s[k].index = malloc(n * sizeof *s[k].index);
    read_hits(h, n);

    /* scan of thresholds and windows */
    for (unsigned threshold = 20000; threshold < 45000; threshold += 300)
        for (unsigned window = 1200; window <= 2900; window += 240) {
            classify(h, n, threshold, window, &s[0], &s[1], &s[2]);
            for (int k = 0; k < 3; k++) {
                total[k] += s[k].count;
                for (size_t i = 0; i < s[k].count; i += 64)
                    check = check * 31 + s[k].index[i];
            }
        }
    printf("physics %zu monitor %zu reject %zu\n", total[0], total[1], total[2]);
    printf("check %llu\n", (unsigned long long)check);
    for (int k = 0; k < 3; k++)
        free(s[k].index);
    free(h);
    return 0;
}
