/* Radiotherapy planning: the beamlet kernel of one slice is rescaled for many
   candidate weights, one dose sample of each being kept. */
#include <stdio.h>
#include <stdlib.h>
#ifndef CELLS
#define CELLS 40000
#endif
#ifndef BEAMS
#define BEAMS 850000
#endif

__attribute__((noinline))
static void deposit(float *restrict dose, const float *restrict kern, float w, int n)
{
    for (int i = 0; i < n; i++)
        dose[i] = w * kern[i];
}

int main(void)
{
    float *dose = aligned_alloc(64, CELLS * sizeof(float));
    float *kern = aligned_alloc(64, CELLS * sizeof(float));
    for (int i = 0; i < CELLS; i++) {
        dose[i] = 0.0f;
        kern[i] = (float)((i * 37) % 101) * 0.01f;
    }
    double s = 0;
    for (int b = 0; b < BEAMS; b++) {
        deposit(dose, kern, 0.5f + (b & 7) * 0.1f, CELLS);
        s += dose[(b * 17) % CELLS];
    }
    printf("dosemap %.6g\n", s);
    free(dose); free(kern);
    return 0;
}
