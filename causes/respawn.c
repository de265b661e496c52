/* Snow effect of a game: at each gust the flakes of a small pool are set to
   their start values at the top of the scene. */
#include <stdio.h>
#include <stdint.h>

struct flake {
    uint64_t id; int32_t kind, age; int64_t x, y, z;
    int32_t vx, vy; int64_t owner;
};
#define POOL 240
static struct flake pool[POOL];

__attribute__((noinline))
static void gust(struct flake *f, int n, const struct flake *proto)
{
    const struct flake p = *proto;
    for (int i = 0; i < n; i++) {
        f[i].owner = p.owner;
        f[i].x = p.x;
        f[i].kind = p.kind;
        f[i].z = p.z;
        f[i].vy = p.vy;
        f[i].y = p.y;
        f[i].age = p.age;
        f[i].vx = p.vx;
        f[i].id = p.id + (uint64_t)i;
    }
}

int main(void)
{
    struct flake proto = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    uint64_t key = 0;
    for (int t = 0; t < 9000000; t++) {
        proto.x = t;
        proto.id += key & 7;
        gust(pool, POOL, &proto);
        key = key * 31 + (uint64_t)pool[t % POOL].x + pool[(t * 7u) % POOL].id;
    }
    printf("flakes %016llx\n", (unsigned long long)key);
    return 0;
}
