/* Follows the custody chain of parcels through a depot's records and books
   every record to the account of its station. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
struct rec { struct rec *next; uint32_t station, weight; uint64_t pad[6]; };
void book(uint64_t *acc, uint32_t station, uint32_t weight);
#ifndef N
#define N 4000000u
#endif
#define HOPS 14000000u
static uint64_t acc[256];
static uint64_t s = 88172645463325252ull;
static uint64_t rnd(void) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; return s; }
static struct rec *follow(struct rec *p, uint32_t hops)
{
    while (hops--) {
        book(acc, p->station, p->weight);
        p = p->next;
    }
    return p;
}
int main(void)
{
    struct rec *r = malloc(sizeof *r * N);
    uint32_t *perm = malloc(sizeof *perm * N);
    if (!r || !perm)
        return 1;
    for (uint32_t i = 0; i < N; i++)
        perm[i] = i;
    for (uint32_t i = N - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(rnd() % i), t = perm[i];
        perm[i] = perm[j];
        perm[j] = t;
    }
    for (uint32_t i = 0; i < N; i++) {
        r[i].next = &r[perm[i]];
        r[i].station = perm[i] * 7u;
        r[i].weight = i & 1023u;
    }
    struct rec *e = follow(r, HOPS);
    uint64_t sum = (uint64_t)(e - r);
    for (int i = 0; i < 256; i++)
        sum = sum * 31 + acc[i];
    printf("%llu\n", (unsigned long long)sum);
    free(perm);
    free(r);
    return 0;
}
