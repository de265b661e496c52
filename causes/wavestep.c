/* Seismic modelling: leapfrog update of the pressure of every cell of a
   large volume (the spatial part has been applied already). */
#include <stdio.h>
#include <stdlib.h>
enum { CELLS = 56 << 20, STEPS = 45 };
static void __attribute__((noinline))
leap(float *restrict prev, const float *restrict cur, float damp) {
    for (long i = 0; i < CELLS; i++)
        prev[i] = 2.0f * cur[i] - damp * prev[i];
}
int main(void) {
    float *a = malloc(sizeof(float) * CELLS), *b = malloc(sizeof(float) * CELLS);
    if (!a || !b) return 1;
    for (long i = 0; i < CELLS; i++) {
        a[i] = (float)(i & 255) * 0.001f;
        b[i] = (float)(i & 127) * 0.002f;
    }
    for (int s = 0; s < STEPS; s++) {
        leap(a, b, 0.98f);
        float *t = a;
        a = b;
        b = t;
    }
    double sum = 0;
    for (long i = 0; i < CELLS; i += 4099) sum += a[i];
    printf("wavestep %.6e\n", sum);
    free(a);
    free(b);
    return 0;
}
