/* Fireworks of a game: fills the particle pool anew for each rocket, before
   the first step of the animation moves the particles. */
#include <stdint.h>
#include <stdio.h>

#define POOL 160
#define ROCKETS 12000000

struct particle {
    double x;
    int64_t id;
    double y;
    int64_t born;
    double z;
    int64_t owner;
    float heat;
    int32_t kind;
    float mass;
    int32_t next;
};

static struct particle pool[POOL] __attribute__((aligned(64)));

__attribute__((noinline))
static void spawn(struct particle *p, int n, double x, double y, double z,
                  int64_t rocket, int64_t now, float heat, int32_t kind)
{
    for (int i = 0; i < n; i++) {
        p[i].x = x;
        p[i].id = rocket + i;
        p[i].y = y;
        p[i].born = now;
        p[i].z = z;
        p[i].owner = rocket;
        p[i].heat = heat;
        p[i].kind = kind;
        p[i].mass = 0.25f;
        p[i].next = i;
    }
}

int main(void)
{
    double height = 0.0;
    int64_t ids = 0;
    for (int r = 0; r < ROCKETS; r++) {
        spawn(pool, POOL, 0.1 * (r & 15), 2.0, 0.2 * (r & 7), r, r / 3,
              (float)(r & 31), r & 3);
        height += pool[r % POOL].x + pool[r % 7].heat + pool[r % 11].mass;
        ids += pool[r % POOL].id + pool[r % 13].next;
    }
    printf("height %.3f ids %lld\n", height, (long long)ids);
    return 0;
}
