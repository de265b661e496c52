/* Software renderer: clears the attribute planes of a screen tile to the
   values of the background before the triangles of the tile are drawn. */
#include <stdint.h>
#include <stdio.h>

#define PIXELS 256
#define TILES 13000000

struct tile {
    uint32_t red[PIXELS], green[PIXELS], blue[PIXELS], alpha[PIXELS];
    uint32_t depth[PIXELS], owner[PIXELS], normal[PIXELS], fog[PIXELS];
};

static struct tile tile;

__attribute__((noinline))
static void clear_tile(struct tile *t, uint32_t sky, uint32_t number)
{
    uint32_t r = sky >> 16 & 255, g = sky >> 8 & 255, b = sky & 255;
    for (uint32_t i = 0; i < PIXELS; i++) {
        t->red[i] = r;
        t->green[i] = g;
        t->blue[i] = b;
        t->alpha[i] = 255;
        t->depth[i] = 0x7fffff;
        t->owner[i] = number;
        t->normal[i] = 0x808080;
        t->fog[i] = number + i;
    }
}

int main(void)
{
    uint64_t sum = 0;
    for (uint32_t n = 0; n < TILES; n++) {
        clear_tile(&tile, n * 2654435761u >> 8, n);
        sum += tile.red[n % PIXELS] + tile.owner[n % 7] + tile.fog[n % 11];
    }
    printf("tiles %llu\n", (unsigned long long)sum);
    return 0;
}
