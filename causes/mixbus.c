/* Mixing desk: adds one track at its fader level to the bus buffer of an
   offline bounce. */
#include <stdio.h>
enum { SAMPLES = 24576, BLOCKS = 1200000 };
static float bus[SAMPLES] __attribute__((aligned(64)));
static float track[SAMPLES] __attribute__((aligned(64)));
static void __attribute__((noinline)) mix(float *restrict b, const float *restrict t, float level) {
    for (int i = 0; i < SAMPLES; i++)
        b[i] += level * t[i];
}
int main(void) {
    for (int i = 0; i < SAMPLES; i++) track[i] = (float)(i % 97) / 97 - 0.5f;
    for (int b = 0; b < BLOCKS; b++) mix(bus, track, (b & 1) ? -0.25f : 0.2500001f);
    double sum = 0;
    for (int i = 0; i < SAMPLES; i++) sum += bus[i];
    printf("mixbus %.6f\n", sum);
    return 0;
}
