/* Synthesiser voice bank: resonant low-pass, soft clipping and stereo panning in single precision. */
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 512
#define VOICES 48

struct voice {
    float phase[BLOCK];
    float gain, pan, drive, detune;
};

static void render(const struct voice *restrict v, float *restrict left, float *restrict right,
                   float env, int n)
{
    const float gain = v->gain, pan = v->pan, drive = v->drive;

    for (int i = 0; i < n; i++) {
        float x = v->phase[i] * env;
        float s = x * (1.5f - 0.5f * x * x);
        float d = s * (1.0f + drive);
        float y = d / (1.0f + 0.3f * d * d);
        y = 0.9f * y + 0.1f * s + 1e-6f;
        left[i] += gain * (0.5f - 0.5f * pan) * y;
        right[i] += gain * (0.5f + 0.5f * pan) * y;
    }
}

static void advance(struct voice *v)
{
    for (int i = 0; i < BLOCK; i++) {
        float p = v->phase[i] + v->detune;
        v->phase[i] = p > 1.0f ? p - 2.0f : p;
    }
}

int main(void)
{
    struct voice *v = malloc(VOICES * sizeof *v);
    static float left[BLOCK], right[BLOCK];
    double energy_l = 0.0, energy_r = 0.0;

    for (int k = 0; k < VOICES; k++) {
        v[k].gain = 0.02f + 0.001f * k;
        v[k].pan = -0.9f + 1.8f * k / VOICES;
        v[k].drive = 0.1f * (k % 9);
        v[k].detune = 0.0625f * (1 + k % 5);
        for (int i = 0; i < BLOCK; i++)
            v[k].phase[i] = -1.0f + 2.0f * ((i * (k + 3)) % BLOCK) / BLOCK;
    }

    for (int b = 0; b < 24000; b++) {
        float env = 1.0f - (float)(b % 100) * 0.008f;
        for (int i = 0; i < BLOCK; i++)
            left[i] = right[i] = 0.0f;
        for (int k = 0; k < VOICES; k++) {
            render(&v[k], left, right, env, BLOCK);
            if ((b + k) % 16 == 0)
                advance(&v[k]);
        }
        for (int i = 0; i < BLOCK; i += 8) {
            energy_l += (double)left[i] * left[i];
            energy_r += (double)right[i] * right[i];
        }
    }
    printf("energy %.6e %.6e\n", energy_l, energy_r);
    for (int i = 3; i < BLOCK; i += 100)
        printf("%d %.4f %.4f\n", i, left[i], right[i]);
    free(v);
    return 0;
}
