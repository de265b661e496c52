/* Radio telescope: turns a recording of 16-bit samples into calibrated
   floating-point samples for the correlator. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { SAMPLES = 64 << 20, CHANNELS = 60 };
static void __attribute__((noinline))
unpack(float *restrict out, const int16_t *restrict raw, float scale) {
    for (long i = 0; i < SAMPLES; i++)
        out[i] = (float)raw[i] * scale;
}
int main(void) {
    int16_t *raw = malloc(sizeof(int16_t) * SAMPLES);
    float *out = malloc(sizeof(float) * SAMPLES);
    if (!raw || !out) return 1;
    uint32_t s = 9;
    for (long i = 0; i < SAMPLES; i++) {
        s = s * 1664525u + 1013904223u;
        raw[i] = (int16_t)(s >> 16);
        out[i] = 0;
    }
    double sum = 0;
    for (int c = 0; c < CHANNELS; c++) {
        unpack(out, raw, 1.0f / (float)(100 + c));
        sum += out[(c * 99991L) % SAMPLES];
    }
    printf("adcunpack %.6f\n", sum);
    free(raw);
    free(out);
    return 0;
}
