/* Surveillance camera: running background model of a 16-bit sensor image,
   updated by each frame of a short ring of frames. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define W 1600
#define H 1200
#define FRAMES 16000
static inline int16_t blend(int16_t bg, int16_t px)
{
    return (int16_t)(bg + ((int16_t)(px - bg) >> 3));
}
static void update(int16_t *restrict bg, const int16_t *restrict fr, int n)
{
    for (int i = 0; i < n; i++)
        bg[i] = blend(bg[i], fr[i]);
}
int main(void)
{
    int16_t *bg = calloc(W * H, 2), *ring[2];
    for (int f = 0; f < 2; f++) {
        ring[f] = malloc(W * H * 2);
        if (!ring[f] || !bg)
            return 1;
        for (int i = 0; i < W * H; i++)
            ring[f][i] = (int16_t)((i * (31 + f)) & 4095);
    }
    for (int k = 0; k < FRAMES; k++)
        update(bg, ring[k & 1], W * H);
    long s = 0;
    for (int i = 0; i < W * H; i++)
        s += bg[i];
    printf("%ld\n", s);
    return 0;
}
