/* Emergency desk: sorts the calls of a day into the urgent and the waiting
   queue by their severity; the worst (few) are handed on at once. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>

void hand_on(uint32_t call);
extern uint64_t handed;

static uint32_t urgent[1024], waiting[1024];

static unsigned desk(const uint16_t *sev, int n, uint16_t limit)
{
    unsigned nu = 0, nw = 0;
    for (int i = 0; i < n; i++) {
        if (sev[i] < limit) {
            waiting[nw++ & 1023] = (uint32_t)i ^ sev[i];
        } else {
            if (sev[i] > 65500)
                hand_on((uint32_t)i);
            urgent[nu & 1023] += (uint32_t)i;
            nu += 1 + (sev[i] & 1);
        }
    }
    return nu * 3 + nw;
}

int main(void)
{
    int n = 2000000;
    uint16_t *sev = malloc(n * sizeof *sev);
    uint64_t r = 53, key = 0;
    if (!sev)
        return 1;
    for (int i = 0; i < n; i++) {
        r = r * 6364136223846793005ULL + 1442695040888963407ULL;
        sev[i] = (uint16_t)(r >> 48);
    }
    for (int day = 0; day < 350; day++)
        key = key * 7 + desk(sev, n, (uint16_t)(32000 + day));
    for (int i = 0; i < 1024; i++)
        key = key * 31 + urgent[i] + waiting[i];
    printf("desk %016llx %llu\n", (unsigned long long)key, (unsigned long long)handed);
    return 0;
}
