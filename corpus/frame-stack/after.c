/* Combines a stack of registered astronomical exposures by an iterated kappa-sigma clipped mean. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TILE 2048

struct stack {
    int width, height, count;
    float **frames;
};

static void *checked(void *p)
{
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return p;
}

static struct stack expose(int width, int height, int count)
{
    struct stack s = {width, height, count, checked(malloc(count * sizeof(float *)))};
    size_t pixels = (size_t)width * height;
    unsigned r = 1u;
    for (int f = 0; f < count; f++) {
        float *p = s.frames[f] = checked(malloc(pixels * sizeof(float)));
        float sky = 100.0f + 0.5f * f;
        for (size_t i = 0; i < pixels; i++) {
            r = r * 1664525u + 1013904223u;
            p[i] = sky + (r >> 16) * (20.0f / 65536.0f);
        }
        for (int hit = 0; hit < 400; hit++) {
            r = r * 1664525u + 1013904223u;
            p[r % pixels] += 3000.0f;
        }
        for (int star = 0; star < 200; star++)
            p[(size_t)star * 7919 % pixels] += 500.0f;
    }
    return s;
}

/* Mean of the samples that lie within the limits of each pixel. */
static void clipped_mean(const struct stack *s, size_t first, size_t pixels, const float *low, const float *high, float *mean, float *used)
{
    for (size_t i = 0; i < pixels; i++)
        mean[i] = used[i] = 0.0f;
    for (int f = 0; f < s->count; f++) {
        const float *p = s->frames[f] + first;
        for (size_t i = 0; i < pixels; i++) {
            float keep = p[i] >= low[i] && p[i] <= high[i] ? 1.0f : 0.0f;
            mean[i] += keep * p[i];
            used[i] += keep;
        }
    }
    for (size_t i = 0; i < pixels; i++)
        mean[i] /= used[i];
}

/* New limits: mean plus and minus kappa standard deviations of the samples within the old limits. */
static void new_limits(const struct stack *s, size_t first, size_t pixels, float kappa, const float *mean,
                       const float *used, float *low, float *high, float *variance)
{
    for (size_t i = 0; i < pixels; i++)
        variance[i] = 0.0f;
    for (int f = 0; f < s->count; f++) {
        const float *p = s->frames[f] + first;
        for (size_t i = 0; i < pixels; i++) {
            float keep = p[i] >= low[i] && p[i] <= high[i] ? 1.0f : 0.0f;
            float d = p[i] - mean[i];
            variance[i] += keep * d * d;
        }
    }
    for (size_t i = 0; i < pixels; i++) {
        float sigma = sqrtf(variance[i] / used[i]);
        low[i] = mean[i] - kappa * sigma;
        high[i] = mean[i] + kappa * sigma;
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 12;
    struct stack s = expose(1280, 1024, 40);
    size_t pixels = (size_t)s.width * s.height;
    float *low = checked(malloc(TILE * sizeof(float))), *high = checked(malloc(TILE * sizeof(float)));
    float *mean = checked(malloc(pixels * sizeof(float))), *used = checked(malloc(pixels * sizeof(float)));
    float *variance = checked(malloc(TILE * sizeof(float)));

    /* The pixels are independent: all rounds are done on one tile of pixels while its samples are in the cache. */
    for (size_t first = 0; first < pixels; first += TILE) {
        size_t n = pixels - first < TILE ? pixels - first : TILE;
        for (size_t i = 0; i < n; i++) {
            low[i] = -1e30f;
            high[i] = 1e30f;
        }
        for (int k = 0; k < rounds; k++) {
            clipped_mean(&s, first, n, low, high, mean + first, used + first);
            new_limits(&s, first, n, 3.0f, mean + first, used + first, low, high, variance);
        }
        clipped_mean(&s, first, n, low, high, mean + first, used + first);
    }

    double sum = 0.0, kept = 0.0, brightest = 0.0;
    for (size_t i = 0; i < pixels; i++) {
        sum += mean[i];
        kept += used[i];
        if (mean[i] > brightest)
            brightest = mean[i];
    }
    printf("frames %d, mean %.8f, samples kept %.0f, brightest %.5f\n", s.count, sum / pixels, kept, brightest);
    printf("pixels %.5f %.5f %.5f\n", mean[0], mean[7919], mean[pixels - 1]);
    for (int f = 0; f < s.count; f++)
        free(s.frames[f]);
    free(s.frames);
    free(low);
    free(high);
    free(mean);
    free(used);
    free(variance);
    return 0;
}
