/* Active noise control in a ventilation duct: fan noise travels down the duct,
   a loudspeaker upstream of the error microphone is driven by a filtered-x LMS filter. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

typedef struct {
    int len;            /* samples held        */
    int pos;            /* most recent sample  */
    double *x;          /* 2*len values        */
} delay_line;

typedef struct {
    int ntap;
    double *w;
} fir;

static double *zeros(int n)
{
    double *p = calloc((size_t)n, sizeof *p);
    if (!p) { perror("calloc"); exit(1); }
    return p;
}

/* The line is stored twice, newest sample first, so that x[pos .. pos+len-1]
   is always one contiguous run. */
static delay_line line_new(int len)
{
    delay_line d = { len, 0, zeros(2 * len) };
    return d;
}

static void line_push(delay_line *d, double v)
{
    d->pos = d->pos == 0 ? d->len - 1 : d->pos - 1;
    d->x[d->pos] = v;
    d->x[d->pos + d->len] = v;
}

static double fir_run(const fir *f, const delay_line *d)
{
    const double *restrict w = f->w, *restrict x = d->x + d->pos;
    double y[8] = { 0 };
    int k = 0, n = f->ntap;
    for (; k + 8 <= n; k += 8)
        for (int j = 0; j < 8; j++)
            y[j] += w[k + j] * x[k + j];
    for (; k < n; k++)
        y[0] += w[k] * x[k];
    return ((y[0] + y[4]) + (y[1] + y[5])) + ((y[2] + y[6]) + (y[3] + y[7]));
}

static void lms_update(fir *f, const delay_line *d, double step)
{
    double *restrict w = f->w;
    const double *restrict x = d->x + d->pos;
    for (int k = 0, n = f->ntap; k < n; k++)
        w[k] -= step * x[k];
}

static double line_power(const delay_line *d)
{
    double s = 0.0;
    for (int k = 0; k < d->len; k++)
        s += d->x[d->pos + k] * d->x[d->pos + k];
    return s;
}

/* Impulse response of a duct section: plane wave plus end reflections. */
static fir duct_path(int ntap, int delay, int period, double gain, double refl)
{
    fir f = { ntap, zeros(ntap) };
    int sign = 1;
    for (int t = delay; t < ntap; t += period) {
        for (int k = -6; k <= 6; k++)
            if (t + k >= 0 && t + k < ntap)
                f.w[t + k] += sign * gain * exp(-0.15 * k * k);
        gain *= refl;
        sign = -sign;
    }
    return f;
}

static unsigned lcg = 2463534242u;
static double noise(void)
{
    lcg = lcg * 1664525u + 1013904223u;
    return (lcg >> 8) / 8388608.0 - 1.0;
}

int main(int argc, char **argv)
{
    int nsample = argc > 1 ? atoi(argv[1]) : 480000;
    int ncontrol = argc > 2 ? atoi(argv[2]) : 320;
    fir primary = duct_path(480, 170, 96, 0.6, 0.55);
    fir secondary = duct_path(200, 24, 60, 0.4, 0.45);
    fir control = { ncontrol, zeros(ncontrol) };
    delay_line ref = line_new(primary.ntap > ncontrol ? primary.ntap : ncontrol);
    delay_line drive = line_new(secondary.ntap);
    delay_line filtered = line_new(ncontrol);
    double low = 0.0, step = 0.0, before = 0.0, block = 0.0;
    const int report = nsample / 8;

    for (int n = 0; n < nsample; n++) {
        low = 0.85 * low + 0.4 * noise();
        double x = low + 0.8 * sin(0.11 * n) + 0.4 * sin(0.27 * n + 0.3);
        line_push(&ref, x);

        double d = fir_run(&primary, &ref);
        line_push(&drive, fir_run(&control, &ref));
        double e = d + fir_run(&secondary, &drive);

        line_push(&filtered, fir_run(&secondary, &ref));
        if (n % 64 == 0)
            step = 0.02 / (line_power(&filtered) + 1.0);
        lms_update(&control, &filtered, step * e);

        before += d * d;
        block += e * e;
        if ((n + 1) % report == 0) {
            printf("sample %7d  noise %.9f  residual %.9f\n", n + 1, before / report, block / report);
            before = block = 0.0;
        }
    }
    double sum = 0.0;
    for (int k = 0; k < control.ntap; k++)
        sum += control.w[k] * (1 + k % 3);
    printf("weights %.9f %.9f\n", sum, control.w[control.ntap / 2]);
    return 0;
}
