/* Toll billing: looks up route, zone, fee and distance of each passage of
   the day and adds them to the totals of the operator. */
#include <stdio.h>
#include <stdint.h>

#define PASS 4096
static uint8_t route[PASS], zone[256];
static uint64_t fee[256], dist[256];

static void bill(const uint8_t *p, int n, uint64_t tot[2])
{
    uint64_t f = tot[0], d = tot[1];
    for (int i = 0; i < n; i += 4) {
        unsigned r0 = p[i], r1 = p[i + 1], r2 = p[i + 2], r3 = p[i + 3];
        f += fee[zone[r0]];
        d += dist[r0];
        f += fee[zone[r1]];
        d += dist[r1];
        f += fee[zone[r2]];
        d += dist[r2];
        f += fee[zone[r3]];
        d += dist[r3];
    }
    tot[0] = f;
    tot[1] = d;
}

int main(void)
{
    uint64_t tot[2] = {0, 0}, r = 29;
    for (int i = 0; i < PASS; i++) {
        r = r * 6364136223846793005ULL + 1442695040888963407ULL;
        route[i] = r >> 56;
    }
    for (int i = 0; i < 256; i++) {
        zone[i] = (i * 89 + 7) & 255;
        fee[i] = 100 + i * 3;
        dist[i] = (i * 53) % 411;
    }
    for (int day = 0; day < 1200000; day++) {
        bill(route, PASS, tot);
        fee[day & 255]++;
    }
    printf("fees %llu km %llu\n", (unsigned long long)tot[0], (unsigned long long)tot[1]);
    return 0;
}
