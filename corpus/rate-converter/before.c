/* Converts audio from 44.1 kHz to 48 kHz with a windowed-sinc interpolator. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HALF_TAPS 16

struct converter {
    long in_rate, out_rate;
};

static double sinc(double x)
{
    const double pi = 3.14159265358979323846;
    if (fabs(x) < 1e-9)
        return 1.0;
    return sin(pi * x) / (pi * x);
}

/* Hann window over the length of the interpolation kernel. */
static double window(double x)
{
    const double pi = 3.14159265358979323846;
    if (fabs(x) >= HALF_TAPS)
        return 0.0;
    return 0.5 + 0.5 * cos(pi * x / HALF_TAPS);
}

static long output_length(const struct converter *c, long n)
{
    return n * c->out_rate / c->in_rate;
}

static void convert(const struct converter *c, const float *in, long n, float *out)
{
    long m = output_length(c, n);
    for (long k = 0; k < m; k++) {
        long base = k * c->in_rate / c->out_rate;
        double frac = (double)(k * c->in_rate % c->out_rate) / c->out_rate;
        double sum = 0.0;
        for (int t = -HALF_TAPS + 1; t <= HALF_TAPS; t++) {
            long i = base + t;
            if (i < 0 || i >= n)
                continue;
            double x = t - frac;
            sum += in[i] * sinc(x) * window(x);
        }
        out[k] = (float)sum;
    }
}

static void synthesize(float *x, long n, int channel)
{
    unsigned s = 1u + channel;
    double a = 0.0, b = 0.0;
    for (long i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        a += 2.0 * 3.14159265358979323846 * (220.0 + 330.0 * i / n) / 44100.0;
        b = 0.9 * b + 0.02 * ((s >> 8) / 8388608.0 - 1.0);
        x[i] = (float)(0.5 * sin(a + channel) + b);
    }
}

int main(int argc, char **argv)
{
    long seconds = argc > 1 ? atol(argv[1]) : 13;
    struct converter c = {44100, 48000};
    long n = seconds * c.in_rate, m = output_length(&c, n);
    float *in = malloc(n * sizeof(float)), *out = malloc(m * sizeof(float));
    if (!in || !out)
        return 1;
    for (int channel = 0; channel < 2; channel++) {
        synthesize(in, n, channel);
        convert(&c, in, n, out);
        double ein = 0.0, eout = 0.0, peak = 0.0;
        for (long i = 0; i < n; i++)
            ein += (double)in[i] * in[i];
        for (long k = 0; k < m; k++) {
            eout += (double)out[k] * out[k];
            if (fabsf(out[k]) > peak)
                peak = fabsf(out[k]);
        }
        printf("channel %d: %ld samples to %ld, power %.7f to %.7f, peak %.6f\n", channel, n, m, ein / n, eout / m, peak);
        printf("  samples %.5f %.5f %.5f\n", out[3], out[m / 2], out[m - 5]);
    }
    free(in);
    free(out);
    return 0;
}
