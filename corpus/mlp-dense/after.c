/* Inference of a small fully connected network (ReLU, softmax at the end) on a
 * stream of samples that arrive one at a time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LAYERS 4
static const int width[LAYERS + 1] = {196, 256, 192, 128, 10};
static float *weight[LAYERS], *bias[LAYERS];
static unsigned seed = 2024u;

static float noise(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1.0f;
}

static void make_network(void)
{
    for (int l = 0; l < LAYERS; l++) {
        int in = width[l], out = width[l + 1];
        float scale = sqrtf(3.0f / (float)in);
        weight[l] = malloc(sizeof(float) * (size_t)in * (size_t)out);
        bias[l] = malloc(sizeof(float) * (size_t)out);
        for (int o = 0; o < out; o++) {
            bias[l][o] = 0.1f * noise();
            for (int i = 0; i < in; i++)
                weight[l][(size_t)i * out + o] = scale * noise();
        }
    }
}

/* the weights are stored input-major: y += w[i][:] * x[i], independent sums */
static void dense(const float *restrict w, const float *restrict b, const float *restrict x, float *restrict y, int in,
                  int out)
{
    for (int o = 0; o < out; o++)
        y[o] = b[o];
    int i = 0;
    for (; i + 4 <= in; i += 4) {
        const float *w0 = w + (size_t)i * out, *w1 = w0 + out, *w2 = w1 + out, *w3 = w2 + out;
        float x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
        for (int o = 0; o < out; o++) {
            float sum = y[o];
            sum += w0[o] * x0;
            sum += w1[o] * x1;
            sum += w2[o] * x2;
            sum += w3[o] * x3;
            y[o] = sum;
        }
    }
    for (; i < in; i++)
        for (int o = 0; o < out; o++)
            y[o] += w[(size_t)i * out + o] * x[i];
}

static void relu(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] > 0 ? x[i] : 0;
}

static void softmax(float *x, int n)
{
    float top = x[0], sum = 0;
    for (int i = 1; i < n; i++)
        top = fmaxf(top, x[i]);
    for (int i = 0; i < n; i++)
        sum += x[i] = expf(x[i] - top);
    for (int i = 0; i < n; i++)
        x[i] /= sum;
}

static int classify(const float *sample, float *confidence)
{
    float a[256], b[256];
    const float *x = sample;
    float *y = a;
    for (int l = 0; l < LAYERS; l++) {
        dense(weight[l], bias[l], x, y, width[l], width[l + 1]);
        if (l + 1 < LAYERS)
            relu(y, width[l + 1]);
        x = y;
        y = y == a ? b : a;
    }
    float out[10];
    int best = 0;
    for (int i = 0; i < 10; i++)
        out[i] = x[i];
    softmax(out, 10);
    for (int i = 1; i < 10; i++)
        if (out[i] > out[best])
            best = i;
    *confidence = out[best];
    return best;
}

int main(int argc, char **argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 11000;
    make_network();
    int count[10] = {0};
    double total = 0;
    for (int s = 0; s < samples; s++) {
        float sample[196], confidence;
        for (int i = 0; i < 196; i++)
            sample[i] = noise();
        count[classify(sample, &confidence)]++;
        total += confidence;
    }
    for (int c = 0; c < 10; c++)
        printf("class %d: %d\n", c, count[c]);
    printf("mean confidence %.5f\n", total / samples);
    for (int l = 0; l < LAYERS; l++) {
        free(weight[l]);
        free(bias[l]);
    }
    return 0;
}
