/* Resets the pool of particles of a game's effects engine: every particle of
   the pool gets its start values at the begin of a frame. */
#include <stdio.h>
#include <stdint.h>
#ifndef REPS
#define REPS 8000000
#endif
#define POOL 256
struct particle { int32_t x, age; int64_t owner; int16_t kind, flags; int32_t y; uint8_t live, pad[3]; int32_t z; int64_t seed; int32_t t, u; };
static struct particle pool[POOL];
static void spawn(struct particle *p, int32_t x, int32_t y, int64_t owner, int16_t kind)
{
    for (int i = 0; i < POOL; i++) {
        p[i].x = x;
        p[i].owner = owner;
        p[i].kind = kind;
        p[i].y = y;
        p[i].live = (uint8_t)kind;
        p[i].age = i;
        p[i].seed = owner;
        p[i].z = y;
        p[i].u = i;
        p[i].t = x;
    }
}
int main(void)
{
    uint64_t sum = 0;
    for (int r = 0; r < REPS / 2; r++) {
        spawn(pool, r, r ^ 99, r * 3L, (int16_t)r);
        const struct particle *q = &pool[r & (POOL - 1)];
        sum += (uint64_t)(q->x + q->y + q->owner + q->kind + q->live + q->age + q->t + q->u);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
