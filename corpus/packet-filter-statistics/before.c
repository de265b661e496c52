/* Packet filter: matches headers against a rule table with two workers that publish live statistics. */
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_WORKERS 16
#define PACKETS 2000000
#define RULES 256

struct packet { uint32_t src, dst; uint16_t port, length; };

/* read at any time by the monitoring page */
struct worker_stats {
    _Atomic uint64_t passed;
    _Atomic uint64_t bytes;
};

static struct worker_stats stats[MAX_WORKERS];
static uint8_t rule_mask[RULES];

static void capture(struct packet *p, size_t n)
{
    uint64_t s = 77;
    for (size_t i = 0; i < n; i++) {
        s = s * 6364136223846793005ULL + 1442695040888963407ULL;
        p[i].src = (uint32_t)(s >> 32);
        p[i].dst = (uint32_t)(s >> 20);
        p[i].port = (uint16_t)(s >> 40);
        p[i].length = (uint16_t)(64 + ((s >> 50) & 1023));
    }
}

static int allowed(const struct packet *p, uint32_t salt)
{
    uint32_t h = (p->src ^ salt) * 2654435761u;
    h ^= (p->dst + p->port) * 2246822519u;
    return rule_mask[(h >> 24) % RULES] & 1;
}

static void filter(const struct packet *p, size_t n, uint32_t salt)
{
    #pragma omp parallel num_threads(2)
    {
        struct worker_stats *st = &stats[omp_get_thread_num()];
        #pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++) {
            if (allowed(&p[i], salt)) {
                atomic_fetch_add_explicit(&st->passed, 1, memory_order_relaxed);
                atomic_fetch_add_explicit(&st->bytes, p[i].length, memory_order_relaxed);
            }
        }
    }
}

int main(void)
{
    struct packet *p = malloc(PACKETS * sizeof *p);
    uint64_t passed = 0, bytes = 0;

    capture(p, PACKETS);
    for (int r = 0; r < RULES; r++)
        rule_mask[r] = (uint8_t)((r * 37 + 11) % 5 != 0);
    for (uint32_t epoch = 0; epoch < 64; epoch++)
        filter(p, PACKETS, epoch * 977u);
    for (int w = 0; w < MAX_WORKERS; w++) {
        passed += atomic_load(&stats[w].passed);
        bytes += atomic_load(&stats[w].bytes);
    }
    printf("passed %llu bytes %llu\n", (unsigned long long)passed, (unsigned long long)bytes);
    free(p);
    return 0;
}
