/* Delivery tours: stops live in a pool and are chained in visiting order;
   the tour is walked to total the parcel weight. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef STOPS
#define STOPS 2000000
#endif
#ifndef TOURS
#define TOURS 6
#endif

struct stop {
    struct stop *next;
    uint32_t id;
    uint32_t weight;
    double lat, lon;
    char tag[32];
};

static uint64_t rs = 88172645463325252ull;
static uint64_t rnd(void) { rs ^= rs << 13; rs ^= rs >> 7; rs ^= rs << 17; return rs; }

static uint64_t tour_weight(const struct stop *s)
{
    uint64_t w = 0;
    while (s) {
        w += s->weight;
        s = s->next;
    }
    return w;
}

int main(void)
{
    struct stop *pool = malloc(sizeof(struct stop) * STOPS);
    uint32_t *ord = malloc(sizeof(uint32_t) * STOPS);
    for (uint32_t i = 0; i < STOPS; i++) {
        ord[i] = i;
        pool[i].id = i;
        pool[i].weight = i % 31;
    }
    for (uint32_t i = STOPS - 1; i > 0; i--) {
        uint32_t j = rnd() % i, t = ord[i];
        ord[i] = ord[j];
        ord[j] = t;
    }
    for (uint32_t i = 0; i + 1 < STOPS; i++) pool[ord[i]].next = &pool[ord[i + 1]];
    pool[ord[STOPS - 1]].next = NULL;
    uint64_t total = 0;
    for (int t = 0; t < TOURS; t++) {
        pool[ord[t]].weight += t;
        total = total * 3 + tour_weight(&pool[ord[0]]);
    }
    printf("courier %llu\n", (unsigned long long)total);
    free(ord); free(pool);
    return 0;
}
