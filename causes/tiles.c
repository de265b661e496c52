/* Photo coder: forward cosine transform of the columns of 8x8 blocks, as
   the still picture coders do it before they quantise. */
#include <stdio.h>

#define BLOCKS 32
#define PICTURES 16000000

typedef float v8 __attribute__((vector_size(32)));

static v8 pixels[BLOCKS][8], coef[BLOCKS][8];

__attribute__((target("avx2"), noinline))
static void transform(v8 (*restrict out)[8], v8 (*restrict in)[8], int blocks)
{
    for (int b = 0; b < blocks; b++) {
        v8 *x = in[b], *y = out[b];
        v8 s07 = x[0] + x[7], d07 = x[0] - x[7];
        v8 s16 = x[1] + x[6], d16 = x[1] - x[6];
        v8 s25 = x[2] + x[5], d25 = x[2] - x[5];
        v8 s34 = x[3] + x[4], d34 = x[3] - x[4];
        v8 e0 = s07 + s34, e3 = s07 - s34;
        v8 e1 = s16 + s25, e2 = s16 - s25;
        v8 z1 = (e2 + e3) * 0.707106781f;
        y[0] = e0 + e1;
        y[4] = e0 - e1;
        y[2] = e3 + z1;
        y[6] = e3 - z1;
        v8 o0 = d34 + d25, o1 = d25 + d16, o2 = d16 + d07;
        v8 z5 = (o0 - o2) * 0.382683433f;
        v8 z2 = 0.541196100f * o0 + z5;
        v8 z4 = 1.306562965f * o2 + z5;
        v8 z3 = o1 * 0.707106781f;
        v8 p = d07 + z3, q = d07 - z3;
        y[5] = q + z2;
        y[3] = q - z2;
        y[1] = p + z4;
        y[7] = p - z4;
    }
}

int main(void)
{
    double sum = 0.0;
    for (int b = 0; b < BLOCKS; b++)
        for (int k = 0; k < 64; k++)
            pixels[b][k / 8][k % 8] = (float)((b * 31 + k * 17) & 255) - 128.0f;
    for (int p = 0; p < PICTURES; p++) {
        transform(coef, pixels, BLOCKS);
        sum += coef[p % BLOCKS][p & 7][p / 8 & 7];
        pixels[p % BLOCKS][p & 7][p / 8 & 7] = (float)(p & 255) - 128.0f;
    }
    printf("coefficient sum %.4f\n", sum);
    return 0;
}
