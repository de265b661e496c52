/* Colour grading of film frames: lift, gain, a filmic shoulder, saturation and
 * quantisation to 10 bits per channel. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct grade {
    float lift[3], gain[3];
    float saturation, shoulder;
};

struct frame {
    int n;
    float *r, *g, *b;
    uint16_t *q;     /* 3 planes */
};

static void grade_frame(const struct frame *f, const struct grade *gr)
{
    const float *restrict r = f->r, *restrict g = f->g, *restrict b = f->b;
    uint16_t *restrict qr = f->q, *restrict qg = f->q + f->n, *restrict qb = f->q + 2 * (size_t)f->n;
    for (int i = 0; i < f->n; i++) {
        float x = r[i] * gr->gain[0] + gr->lift[0];
        float y = g[i] * gr->gain[1] + gr->lift[1];
        float z = b[i] * gr->gain[2] + gr->lift[2];
        x = x * (1.0f + 0.15f * x) / (x + gr->shoulder + 0.22f);
        y = y * (1.0f + 0.15f * y) / (y + gr->shoulder + 0.22f);
        z = z * (1.0f + 0.15f * z) / (z + gr->shoulder + 0.22f);
        float luma = 0.2126f * x + 0.7152f * y + 0.0722f * z;
        x = luma + gr->saturation * (x - luma);
        y = luma + gr->saturation * (y - luma);
        z = luma + gr->saturation * (z - luma);
        x = x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
        y = y < 0.0f ? 0.0f : y > 1.0f ? 1.0f : y;
        z = z < 0.0f ? 0.0f : z > 1.0f ? 1.0f : z;
        qr[i] = (uint16_t)(x * 1023.0f + 0.5f);
        qg[i] = (uint16_t)(y * 1023.0f + 0.5f);
        qb[i] = (uint16_t)(z * 1023.0f + 0.5f);
    }
}

int main(void)
{
    enum { N = 480 * 270, FRAMES = 800 };
    struct frame f;
    f.n = N;
    float *mem = malloc(sizeof(float) * 3 * N);
    f.r = mem;
    f.g = mem + N;
    f.b = mem + 2 * N;
    f.q = malloc(sizeof(uint16_t) * 3 * N);
    unsigned s = 321;
    for (int i = 0; i < 3 * N; i++) {
        s = s * 1664525u + 1013904223u;
        mem[i] = (float)(s >> 8) / 16777216.0f;
    }
    double total = 0.0;
    for (int t = 0; t < FRAMES; t++) {
        struct grade gr = {{0.01f, 0.0f, 0.02f}, {1.1f, 1.0f, 0.9f}, 0.8f + 0.0005f * (t % 800), 0.5f};
        gr.shoulder += 0.0002f * (t % 500);
        grade_frame(&f, &gr);
        unsigned sum = 0;
        for (int i = t % 97; i < 3 * N; i += 97)
            sum += f.q[i];
        total += sum;
        if (t % 200 == 0)
            printf("frame %d mean code %.2f\n", t, sum / (3.0 * N / 97));
    }
    printf("total %.8e\n", total);
    free(mem);
    free(f.q);
    return 0;
}
