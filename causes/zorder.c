/* Map server: computes the quadtree keys of the points of a tile and a
   digest of them that serves as the version of the tile. */
#include <stdint.h>
#include <stdio.h>
enum { POINTS = 2000, TILES = 450000 };
struct point { uint32_t x, y; };
static struct point pt[POINTS];
static inline uint64_t spread(uint64_t v) {
    v = (v | v << 16) & 0x0000ffff0000ffffull;
    v = (v | v << 8) & 0x00ff00ff00ff00ffull;
    v = (v | v << 4) & 0x0f0f0f0f0f0f0f0full;
    v = (v | v << 2) & 0x3333333333333333ull;
    return (v | v << 1) & 0x5555555555555555ull;
}
static uint64_t __attribute__((noinline)) tile_version(const struct point *p, int n) {
    uint64_t sum = 0;
#pragma clang loop vectorize(disable)
    for (int i = 0; i < n; i++)
        sum += spread(p[i].x) | spread(p[i].y) << 1;
    return sum;
}
int main(void) {
    uint32_t s = 4711;
    uint64_t sum = 0;
    for (int i = 0; i < POINTS; i++) {
        pt[i].x = s = s * 1664525u + 1013904223u;
        pt[i].y = s = s * 1664525u + 1013904223u;
    }
    for (int t = 0; t < TILES; t++) {
        pt[t % POINTS].x ^= (uint32_t)t;
        sum = sum * 3 + tile_version(pt, POINTS);
    }
    printf("zorder %016llx\n", (unsigned long long)sum);
    return 0;
}
