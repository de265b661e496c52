/* Pixel-art scaler: every source pixel becomes a 4 x 4 block. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef FRAMES
#define FRAMES 9000000
#endif
#define W 32
#define H 8

__attribute__((noinline))
static void scale4(const uint32_t *src, uint32_t *restrict dst)
{
    for (int y = 0; y < H; y++) {
        uint32_t *d0 = dst + (4 * y) * (4 * W), *d1 = d0 + 4 * W, *d2 = d1 + 4 * W, *d3 = d2 + 4 * W;
        for (int x = 0; x < W; x++) {
            uint32_t p = *src++;
            d0[4 * x] = p; d0[4 * x + 1] = p; d0[4 * x + 2] = p; d0[4 * x + 3] = p;
            d1[4 * x] = p; d1[4 * x + 1] = p; d1[4 * x + 2] = p; d1[4 * x + 3] = p;
            d2[4 * x] = p; d2[4 * x + 1] = p; d2[4 * x + 2] = p; d2[4 * x + 3] = p;
            d3[4 * x] = p; d3[4 * x + 1] = p; d3[4 * x + 2] = p; d3[4 * x + 3] = p;
        }
    }
}

int main(void)
{
    uint32_t *src = malloc(W * H * 4), *dst = aligned_alloc(64, W * H * 16 * 4), sum = 0;
    for (int i = 0; i < W * H; i++) src[i] = i * 2654435761u;
    for (int f = 0; f < FRAMES; f++) {
        src[f % (W * H)] += f;
        scale4(src, dst);
        sum = sum * 5 + dst[(f * 11) % (W * H * 16)];
    }
    printf("upsprite %u\n", sum);
    free(src); free(dst);
    return 0;
}
