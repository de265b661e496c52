/* Time series store: scans of columns of samples for points that break a rule. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 400000
#define SERIES 4
#define RULES 100

typedef struct {
    size_t count;
    int64_t *time;
    float *value;
    uint8_t *quality;
} series;

typedef struct {
    float low, high;
    uint8_t min_quality;
} rule;

typedef struct {
    size_t count;
    uint32_t *rows;
} selection;

static uint64_t seed = 0x9e3779b97f4a7c15ULL;

static uint32_t next_random(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * 2685821657736338717ULL) >> 32);
}

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return p;
}

static void series_fill(series *s, size_t count, float base)
{
    s->count = count;
    s->time = allocate(count * sizeof *s->time);
    s->value = allocate(count * sizeof *s->value);
    s->quality = allocate(count * sizeof *s->quality);
    int64_t t = 1700000000;
    for (size_t i = 0; i < count; i++) {
        t += 1 + next_random() % 10;
        s->time[i] = t;
        s->value[i] = base + (float)(next_random() % 10000) / 100.0f;
        s->quality[i] = (uint8_t)(next_random() % 100);
    }
}

static void select_rows(const series *s, const rule *r, selection *out)
{
    const float *value = s->value;
    const uint8_t *quality = s->quality;
    uint32_t *rows = out->rows;
    const float low = r->low, high = r->high;
    const uint8_t min_quality = r->min_quality;
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        /* Always store, advance only for a match; one more store than rows is never out of range. */
        rows[n] = (uint32_t)i;
        n += (size_t)((value[i] >= low) & (value[i] <= high) & (quality[i] >= min_quality));
    }
    out->count = n;
}

static int64_t longest_gap(const series *s, const selection *sel)
{
    int64_t gap = 0;
    for (size_t k = 1; k < sel->count; k++) {
        int64_t d = s->time[sel->rows[k]] - s->time[sel->rows[k - 1]];
        if (d > gap)
            gap = d;
    }
    return gap;
}

static double mean_value(const series *s, const selection *sel)
{
    double sum = 0.0;
    for (size_t k = 0; k < sel->count; k++)
        sum += s->value[sel->rows[k]];
    return sel->count ? sum / (double)sel->count : 0.0;
}

int main(void)
{
    series store[SERIES];
    for (int k = 0; k < SERIES; k++)
        series_fill(&store[k], SAMPLES, 10.0f * (float)k);

    selection sel = {0, allocate(SAMPLES * sizeof(uint32_t))};
    size_t alerts = 0;
    int64_t gaps = 0;
    double means = 0.0;
    for (int q = 0; q < RULES; q++) {
        rule r = {25.0f + (float)(q % 7), 85.0f - (float)(q % 5), (uint8_t)(40 + q % 20)};
        for (int k = 0; k < SERIES; k++) {
            select_rows(&store[k], &r, &sel);
            alerts += sel.count;
            gaps += longest_gap(&store[k], &sel);
            means += mean_value(&store[k], &sel);
        }
    }
    printf("alerts %zu\n", alerts);
    printf("gaps %lld\n", (long long)gaps);
    printf("means %.9f\n", means);
    for (int k = 0; k < SERIES; k++) {
        free(store[k].time);
        free(store[k].value);
        free(store[k].quality);
    }
    free(sel.rows);
    return 0;
}
