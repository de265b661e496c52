/* Film response curve: a fitted polynomial maps scene luminance to density. */
#include <stdio.h>
#include <stdlib.h>
#ifndef ROWSN
#define ROWSN 8000000
#endif
#define WIDTH 2000

__attribute__((noinline))
static void curve(float *restrict out, const float *restrict lum, int n, float g)
{
#pragma clang loop unroll(disable) interleave_count(1)
    for (int i = 0; i < n; i++) {
        float x = lum[i], x2 = x * x, x4 = x2 * x2;
        float lo = (0.02f + 1.31f * x) + (0.77f + -0.42f * x) * x2;
        float hi = (0.113f + 0.051f * x) + (g + 0.0171f * x) * x2;
        out[i] = lo + hi * x4;
    }
}

int main(void)
{
    float *lum = aligned_alloc(64, WIDTH * 4 + 64 - WIDTH * 4 % 64), *den = aligned_alloc(64, WIDTH * 4 + 64 - WIDTH * 4 % 64);
    for (int i = 0; i < WIDTH; i++) lum[i] = (float)i / WIDTH;
    double s = 0;
    for (int r = 0; r < ROWSN; r++) {
        curve(den, lum, WIDTH, (float)(r & 15) * 0.01f);
        s += den[r % WIDTH];
    }
    printf("tonemap %.8g\n", s);
    free(lum); free(den);
    return 0;
}
