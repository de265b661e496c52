/* Equaliser band of a software mixer: one second-order section is run over
   blocks of a synthetic microphone signal. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef BLOCKS
#define BLOCKS 270000
#endif
#define BLK 4096

typedef struct { double b0, b1, b2, a1, a2; double x1, x2, y1, y2; } section;

static void section_run(section *s, const float *in, float *out, int n)
{
    double x1 = s->x1, x2 = s->x2, y1 = s->y1, y2 = s->y2;
    const double b0 = s->b0, b1 = s->b1, b2 = s->b2, a1 = s->a1, a2 = s->a2;
    for (int i = 0; i < n; i++) {
        double x = in[i];
        double y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
        x2 = x1; x1 = x;
        y2 = y1; y1 = y;
        out[i] = (float)y;
    }
    s->x1 = x1; s->x2 = x2; s->y1 = y1; s->y2 = y2;
}

int main(void)
{
    float *in = malloc(BLK * sizeof *in), *out = malloc(BLK * sizeof *out);
    uint32_t r = 12345;
    for (int i = 0; i < BLK; i++) {
        r = r * 1664525u + 1013904223u;
        in[i] = (float)((int32_t)r) * (1.0f / 2147483648.0f);
    }
    section s = { 0.29, 0.58, 0.29, -0.17, 0.33, 0, 0, 0, 0 };
    double peak = 0;
    for (int b = 0; b < BLOCKS; b++) {
        section_run(&s, in, out, BLK);
        float v = out[b & (BLK - 1)];
        peak += v < 0 ? -v : v;
    }
    printf("tonebank %.9g\n", peak);
    free(in); free(out);
    return 0;
}
