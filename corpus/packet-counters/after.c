/* Packet classifier with live statistics: worker threads classify headers from
 * their share of a capture; a monitor may read the workers' counters anytime. */
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAXWORKERS = 32 };

struct header {
    uint32_t src, dst;
    uint16_t sport, dport, length;
    uint8_t proto, ttl;
};

struct counters {
    _Alignas(64) _Atomic uint64_t bytes;   /* one cache line per worker */
    _Atomic uint32_t accepted, dropped;
};

static struct counters stats[MAXWORKERS];

static int accept_packet(const struct header *h)
{
    uint32_t x = h->src ^ (h->dst * 2654435761u);
    if (h->ttl == 0 || h->length < 20)
        return 0;
    if (h->proto == 17 && h->dport < 1024)
        return (x >> 28) != 3;
    return (h->src & 0xff000000u) != 0x7f000000u;
}

static void classify(const struct header *h, long n)
{
#pragma omp parallel
    {
        struct counters *c = &stats[omp_get_thread_num()];
#pragma omp for schedule(static)
        for (long i = 0; i < n; i++) {
            if (accept_packet(&h[i])) {
                atomic_fetch_add_explicit(&c->accepted, 1, memory_order_relaxed);
                atomic_fetch_add_explicit(&c->bytes, h[i].length, memory_order_relaxed);
            } else {
                atomic_fetch_add_explicit(&c->dropped, 1, memory_order_relaxed);
            }
        }
    }
}

static void report(int batch)
{
    uint64_t bytes = 0, accepted = 0, dropped = 0;
    for (int w = 0; w < MAXWORKERS; w++) {
        bytes += atomic_load(&stats[w].bytes);
        accepted += atomic_load(&stats[w].accepted);
        dropped += atomic_load(&stats[w].dropped);
    }
    printf("batch %d: accepted %llu dropped %llu bytes %llu\n", batch, (unsigned long long)accepted,
           (unsigned long long)dropped, (unsigned long long)bytes);
}

int main(void)
{
    const long n = 2000000;
    const int batches = 60;
    struct header *h = malloc(sizeof *h * (size_t)n);
    uint32_t s = 1;
    for (long i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        h[i].src = s;
        s = s * 1664525u + 1013904223u;
        h[i].dst = s;
        h[i].sport = (uint16_t)(s >> 9);
        h[i].dport = (uint16_t)(s >> 20);
        h[i].length = (uint16_t)(18 + (s >> 8) % 1480);
        h[i].proto = (s & 0x4000) ? 17 : 6;
        h[i].ttl = (uint8_t)((s >> 11) & 63);
    }
    for (int b = 1; b <= batches; b++) {
        classify(h, n);
        if (b % 15 == 0)
            report(b);
    }
    free(h);
    return 0;
}
