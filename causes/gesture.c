/* First dense layer of a gesture recogniser (64 outputs, 96 inputs) on a
   stream of sensor windows. */
#include <stdio.h>
#include <stdlib.h>
#ifndef WINDOWS
#define WINDOWS 22000000
#endif
#define IN 96
typedef float v8 __attribute__((vector_size(32)));

__attribute__((noinline))
static void dense(const v8 *w, const float *x, v8 *y)
{
    v8 a0 = y[0], a1 = y[1], a2 = y[2], a3 = y[3], a4 = y[4], a5 = y[5], a6 = y[6], a7 = y[7];
#pragma clang loop unroll(disable)
    for (int k = 0; k < IN; k++) {
        float s = x[k];
        a0 += s * w[0]; a1 += s * w[1]; a2 += s * w[2]; a3 += s * w[3];
        a4 += s * w[4]; a5 += s * w[5]; a6 += s * w[6]; a7 += s * w[7];
        w += 8;
    }
    y[0] = a0; y[1] = a1; y[2] = a2; y[3] = a3; y[4] = a4; y[5] = a5; y[6] = a6; y[7] = a7;
}

int main(void)
{
    v8 *w = aligned_alloc(64, IN * 8 * sizeof *w), y[8] = {{0}};
    float *x = malloc(IN * sizeof *x);
    for (int i = 0; i < IN * 64; i++) ((float *)w)[i] = (i % 23 - 11) * 0.01f;
    for (int i = 0; i < IN; i++) x[i] = (i % 5) * 0.1f;
    double s = 0;
    for (int t = 0; t < WINDOWS; t++) {
        x[t % IN] = -x[t % IN];
        dense(w, x, y);
        if ((t & 255) == 0) { s += y[3][2]; for (int i = 0; i < 8; i++) y[i] = y[i] * 0.1f; }
    }
    printf("gesture %.7g\n", s);
    free(w); free(x);
    return 0;
}
