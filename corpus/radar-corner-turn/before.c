/* Range-Doppler processing: corner turn and slow-time filter of pulse-compressed radar data. */
#include <stdio.h>
#include <stdlib.h>

#define PULSES 2048
#define RANGES 4096

typedef struct { float re, im; } cfloat;

static void corner_turn(const cfloat *in, cfloat *out, int rows, int cols)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
}

/* three-pulse canceller along slow time, in place */
static void cancel_clutter(cfloat *x, int len)
{
    for (int p = 0; p + 2 < len; p++) {
        x[p].re = x[p].re - 2.0f * x[p + 1].re + x[p + 2].re;
        x[p].im = x[p].im - 2.0f * x[p + 1].im + x[p + 2].im;
    }
}

static void receive(cfloat *d, int dwell)
{
    unsigned s = 7u + (unsigned)dwell;
    for (int p = 0; p < PULSES; p++)
        for (int r = 0; r < RANGES; r++) {
            s = s * 1664525u + 1013904223u;
            d[(size_t)p * RANGES + r].re = (float)(int)(s >> 20) * 0.001f;
            d[(size_t)p * RANGES + r].im = (float)(int)((s >> 8) & 4095) * 0.001f;
        }
}

int main(void)
{
    cfloat *data = malloc(sizeof *data * PULSES * RANGES);
    cfloat *turned = malloc(sizeof *turned * PULSES * RANGES);

    for (int dwell = 0; dwell < 6; dwell++) {
        receive(data, dwell);
        corner_turn(data, turned, PULSES, RANGES);
        for (int r = 0; r < RANGES; r++)
            cancel_clutter(turned + (size_t)r * PULSES, PULSES);
        corner_turn(turned, data, RANGES, PULSES);

        double power = 0.0;
        for (size_t i = 0; i < (size_t)PULSES * RANGES; i += 17)
            power += (double)data[i].re * data[i].re + (double)data[i].im * data[i].im;
        printf("dwell %d power %.8e sample %.6f %.6f\n", dwell, power,
               data[123456].re, data[7654321].im);
    }
    free(data);
    free(turned);
    return 0;
}
