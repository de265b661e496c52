/* Delay-and-sum beamforming of synthetic plane-wave ultrasound echoes. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 128, SAMPLES = 2048, NX = 384, NZ = 512, ANGLES = 13 };

static const float pitch = 0.15e-3f;   /* m */
static const float c0 = 1540.0f;       /* m/s */
static const float fs = 31.25e6f;      /* Hz */

typedef struct {
    float x, z, strength;
} scatterer;

static uint32_t rng_state = 2463534242u;

static float uniform(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 17;
    rng_state ^= rng_state << 5;
    return (float)(rng_state >> 8) / 16777216.0f;
}

static void element_positions(float *xe)
{
    for (int e = 0; e < ELEMENTS; e++)
        xe[e] = ((float)e - 0.5f * (ELEMENTS - 1)) * pitch;
}

/* One received trace per element: a short pulse for every scatterer. */
static void simulate(float *rf, const float *xe, const scatterer *s, int ns,
                     float angle)
{
    float sa = sinf(angle), ca = cosf(angle);
    for (int i = 0; i < ELEMENTS * SAMPLES; i++)
        rf[i] = 0.02f * (uniform() - 0.5f);
    for (int e = 0; e < ELEMENTS; e++) {
        for (int k = 0; k < ns; k++) {
            float dx = s[k].x - xe[e];
            float path = s[k].z * ca + s[k].x * sa + sqrtf(dx * dx + s[k].z * s[k].z);
            float t = path / c0 * fs;
            int i0 = (int)t - 8;
            for (int i = i0; i < i0 + 16; i++) {
                if (i < 0 || i >= SAMPLES)
                    continue;
                float u = (float)i - t;
                rf[e * SAMPLES + i] += s[k].strength * expf(-0.08f * u * u) * cosf(1.0f * u);
            }
        }
    }
}

static float das_pixel(const float *rf, const float *xe, float px, float pz,
                       float transmit)
{
    float sum = 0.0f;
    for (int e = 0; e < ELEMENTS; e++) {
        float dx = px - xe[e];
        float d = transmit + sqrtf(dx * dx + pz * pz);
        long idx = lrintf(d * (fs / c0));
        if (idx >= 0 && idx < SAMPLES)
            sum += rf[e * SAMPLES + idx];
    }
    return sum;
}

static void beamform(float *image, const float *rf, const float *xe, float angle)
{
    float sa = sinf(angle), ca = cosf(angle);
    for (int iz = 0; iz < NZ; iz++) {
        float pz = 5e-3f + (float)iz * 0.075e-3f;
        for (int ix = 0; ix < NX; ix++) {
            float px = ((float)ix - 0.5f * (NX - 1)) * 0.05e-3f;
            image[iz * NX + ix] += das_pixel(rf, xe, px, pz, pz * ca + px * sa);
        }
    }
}

int main(void)
{
    static float xe[ELEMENTS];
    float *rf = malloc(sizeof(float) * ELEMENTS * SAMPLES);
    float *image = calloc((size_t)NX * NZ, sizeof(float));
    scatterer s[12];

    element_positions(xe);
    for (int k = 0; k < 12; k++) {
        s[k].x = (uniform() - 0.5f) * 16e-3f;
        s[k].z = 8e-3f + uniform() * 30e-3f;
        s[k].strength = 0.5f + uniform();
    }
    for (int a = 0; a < ANGLES; a++) {
        float angle = ((float)a - 0.5f * (ANGLES - 1)) * 0.035f;
        simulate(rf, xe, s, 12, angle);
        beamform(image, rf, xe, angle);
    }

    double total = 0.0, energy = 0.0;
    int best = 0;
    for (int i = 0; i < NX * NZ; i++) {
        total += image[i];
        energy += (double)image[i] * image[i];
        if (fabsf(image[i]) > fabsf(image[best]))
            best = i;
    }
    printf("sum %.9e energy %.9e\n", total, energy);
    printf("brightest pixel x=%d z=%d value %.7e\n", best % NX, best / NX, image[best]);
    for (int i = 0; i < 4; i++)
        printf("pixel %d: %.7e\n", i, image[(80 + 100 * i) * NX + 192]);
    free(rf);
    free(image);
    return 0;
}
