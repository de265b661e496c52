/* Herd book query: walks the registered line of descent from one animal to
   the next over the whole register and adds the merits found on the way. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>

struct animal { struct animal *dam; int64_t merit; char tag[48]; };
#define N (1u << 22)

static uint32_t rnd(uint64_t *s)
{
    *s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
    return *s >> 33;
}

int main(void)
{
    struct animal *herd = malloc(N * sizeof *herd);
    uint32_t *order = malloc(N * sizeof *order);
    uint64_t s = 7;
    if (!herd || !order)
        return 1;
    for (uint32_t i = 0; i < N; i++)
        order[i] = i;
    for (uint32_t i = N - 1; i > 0; i--) {
        uint32_t j = rnd(&s) % i, t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (uint32_t i = 0; i < N; i++) {
        herd[i].dam = &herd[order[i]];
        herd[i].merit = i % 97;
        herd[i].tag[0] = 'a' + i % 26;
    }
    free(order);
    int64_t merit = 0;
    const struct animal *a = herd;
    for (uint32_t left = 9000000; left; left--) {
        merit += a->merit;
        a = a->dam;
    }
    printf("merit %lld at %c\n", (long long)merit, a->tag[0]);
    return 0;
}
