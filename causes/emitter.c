/* Particle effects: a burst re-initialises every slot of the pool (fixed-point
   coordinates). */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef BURSTS
#define BURSTS 8000000
#endif
#define POOL 300

struct particle { int64_t x, y, z, vx, vy, vz, born, id; };

__attribute__((noinline))
static void burst(struct particle *p, const struct particle *src, int64_t now)
{
    int64_t x = src->x, y = src->y, z = src->z;
    int64_t vx = src->vx, vy = src->vy, vz = src->vz;
    for (int64_t i = 0; i < POOL; i++) {
        p[i].x = x;
        p[i].y = y;
        p[i].z = z;
        p[i].vx = vx;
        p[i].vy = vy;
        p[i].vz = vz;
        p[i].born = now;
        p[i].id = i;
    }
}

int main(void)
{
    struct particle *pool = aligned_alloc(64, POOL * sizeof *pool), src = { 1, 2, 3, 40, 50, 60, 0, 0 };
    uint64_t sum = 0;
    for (long t = 0; t < BURSTS; t++) {
        src.x += 3; src.vy ^= t;
        burst(pool, &src, t);
        sum = sum * 3 + pool[t % POOL].vy + pool[(t * 7) % POOL].x;
    }
    printf("emitter %016llx\n", (unsigned long long)sum);
    free(pool);
    return 0;
}
