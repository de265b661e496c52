/* Hourly soil-water balance of a field: evaporative demand from weather
 * records, storage carried from hour to hour, for many soil types. */
#include <stdio.h>
#include <stdlib.h>

struct weather {
    int n;
    double *temp, *rh, *wind, *rad, *rain;
};

struct soil {
    double capacity, drain, albedo;
};

struct result {
    double evap, drainage, final;
};

static unsigned seed = 2024u;
static double uniform(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) * (1.0 / 16777216.0);
}

enum { CHUNK = 512 };

/* Hours i0 .. i0+n-1: fraction of the store that evaporates, and that stays. */
static void demand_block(const struct weather *w, const struct soil *so, int i0, int n,
                         double *restrict take, double *restrict keep)
{
    double albedo = so->albedo, rcap = 1.0 / so->capacity, drain = so->drain;
    const double *temp = w->temp + i0, *rh = w->rh + i0, *wind = w->wind + i0, *rad = w->rad + i0;
    for (int i = 0; i < n; i++) {
        double t = temp[i];
        /* saturation vapour pressure and its slope, rational fit */
        double num = 0.6108 + t * (0.0443 + t * (0.00143 + t * (2.65e-5 + t * 3.03e-7)));
        double es = num / (1.0 - 1.0e-4 * t * t / (1.0 + 0.01 * t * t));
        double slope = es * 4098.0 / ((t + 237.3) * (t + 237.3));
        double net = (1.0 - albedo) * rad[i] - 0.04 * (0.34 - 0.14 * es * rh[i]);
        double aero = 37.0 / (t + 273.0) * wind[i] * es * (1.0 - rh[i]);
        double gamma = 0.0665 * (1.0 + 0.34 * wind[i]);
        double d = (0.408 * slope * net + 0.0665 * aero) / (slope + gamma);
        d = (d > 0.0 ? d : 0.0) * rcap;
        take[i] = d;
        keep[i] = 1.0 - drain - d;
    }
}

static struct result balance(const struct weather *w, const struct soil *so)
{
    struct result res = {0.0, 0.0, 0.0};
    double store = 0.5 * so->capacity, held = 0.0;
    double take[CHUNK], keep[CHUNK];
    for (int i0 = 0; i0 < w->n; i0 += CHUNK) {
        int n = w->n - i0 < CHUNK ? w->n - i0 : CHUNK;
        demand_block(w, so, i0, n, take, keep);
        for (int i = 0; i < n; i++) {
            res.evap += take[i] * store;
            held += store;
            store = keep[i] * store + w->rain[i0 + i];
        }
    }
    res.drainage = so->drain * held;
    res.final = store;
    return res;
}

int main(void)
{
    enum { HOURS = 8766 * 4, SOILS = 3600 };
    struct weather w;
    w.n = HOURS;
    double *mem = malloc(sizeof(double) * 5 * HOURS);
    w.temp = mem;
    w.rh = mem + HOURS;
    w.wind = mem + 2 * HOURS;
    w.rad = mem + 3 * HOURS;
    w.rain = mem + 4 * HOURS;
    for (int i = 0; i < HOURS; i++) {
        int hour = i % 24;
        double sun = hour > 6 && hour < 18 ? (hour - 6) * (18 - hour) / 36.0 : 0.0;
        w.temp[i] = 5.0 + 12.0 * sun + 6.0 * uniform();
        w.rh[i] = 0.4 + 0.5 * uniform();
        w.wind[i] = 5.0 * uniform();
        w.rad[i] = 2.5 * sun * (0.5 + 0.5 * uniform());
        w.rain[i] = uniform() < 0.05 ? 3.0 * uniform() : 0.0;
    }
    double total = 0.0;
    for (int s = 0; s < SOILS; s++) {
        struct soil so = {80.0 + s % 240, 1.0e-4 * (1 + s % 7), 0.15 + 0.01 * (s % 10)};
        struct result r = balance(&w, &so);
        total += r.evap;
        if (s % 600 == 0)
            printf("soil %3d evap %.8g drainage %.8g final %.8g\n", s, r.evap, r.drainage, r.final);
    }
    printf("total evap %.10g\n", total);
    free(mem);
    return 0;
}
