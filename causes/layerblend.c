/* Paint program: merges the brush layer into the canvas, row by row, with
   the lighten-by-average mode. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { W = 2048, H = 1536, STROKES = 20000 };
static inline void merge_row(uint8_t *restrict dst, const uint8_t *restrict src, int w) {
    for (int x = 0; x < w; x++)
        dst[x] = (uint8_t)((dst[x] + src[x] + 1) >> 1);
}
static void merge(uint8_t *canvas, const uint8_t *layer) {
    for (int y = 0; y < H; y++) merge_row(canvas + y * W, layer + y * W, W);
}
int main(void) {
    uint8_t *canvas = malloc(W * H), *layer = malloc(W * H);
    if (!canvas || !layer) return 1;
    uint32_t s = 5, sum = 0;
    for (int i = 0; i < W * H; i++) {
        s = s * 1664525u + 1013904223u;
        canvas[i] = (uint8_t)(s >> 24);
        layer[i] = (uint8_t)(s >> 16);
    }
    for (int k = 0; k < STROKES; k++) {
        layer[(k * 4099u) % (W * H)] += 17;
        merge(canvas, layer);
        sum = sum * 3 + canvas[(k * 31u) % (W * H)];
    }
    printf("layerblend %08x\n", sum);
    free(canvas);
    free(layer);
    return 0;
}
