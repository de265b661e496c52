/* Cross-dissolve between two long film reels held in memory. */
#include <stdio.h>
#include <stdlib.h>
#ifndef SAMPLES
#define SAMPLES 32000000L
#endif
#ifndef FRAMES
#define FRAMES 130
#endif

__attribute__((noinline))
static void dissolve(float *restrict out, const float *restrict a,
                     const float *restrict b, float t, long n)
{
    for (long i = 0; i < n; i++)
        out[i] = a[i] + t * (b[i] - a[i]);
}

int main(void)
{
    float *a = malloc(SAMPLES * sizeof *a), *b = malloc(SAMPLES * sizeof *b);
    float *o = malloc(SAMPLES * sizeof *o);
    for (long i = 0; i < SAMPLES; i++) {
        a[i] = (float)(i & 255);
        b[i] = (float)((i >> 8) & 255);
        o[i] = 0;
    }
    double s = 0;
    for (int f = 0; f < FRAMES; f++) {
        dissolve(o, a, b, (float)f / FRAMES, SAMPLES);
        s += o[(f * 7919L) % SAMPLES];
    }
    printf("dissolve %.6f\n", s);
    free(a); free(b); free(o);
    return 0;
}
