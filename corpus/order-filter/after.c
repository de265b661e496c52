/* Filter operator of a column store: builds the selection vector of the rows
 * that satisfy the range predicates, then aggregates the selected rows. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 1000000
#define VECTOR 2048
#define QUERIES 150

static int32_t price[ROWS], quantity[ROWS], day[ROWS];

struct query {
    int32_t price_lo, price_hi;
    int32_t quantity_max;
    int32_t day_lo, day_hi;
};

static uint32_t lcg = 1;
static uint32_t rnd(void)
{
    lcg = lcg * 747796405u + 2891336453u;
    uint32_t w = ((lcg >> ((lcg >> 28) + 4)) ^ lcg) * 277803737u;
    return (w >> 22) ^ w;
}

/* Every row number is stored and the cursor advances by the outcome, so that
 * nothing is left to predict; each range is one unsigned comparison. */
static int select_rows(const struct query *q, int begin, int end, int32_t *sel)
{
    const uint32_t price_lo = (uint32_t)q->price_lo, price_span = (uint32_t)(q->price_hi - q->price_lo);
    const uint32_t day_lo = (uint32_t)q->day_lo, day_span = (uint32_t)(q->day_hi - q->day_lo);
    const int32_t quantity_max = q->quantity_max;
    int n = 0;
    for (int i = begin; i < end; i++) {
        sel[n] = i;
        n += ((uint32_t)price[i] - price_lo < price_span) & (quantity[i] <= quantity_max) &
             ((uint32_t)day[i] - day_lo < day_span);
    }
    return n;
}

struct result {
    long rows;
    int64_t revenue;
    int64_t positions;
};

static struct result run(const struct query *q)
{
    struct result r = { 0, 0, 0 };
    int32_t sel[VECTOR];
    for (int begin = 0; begin < ROWS; begin += VECTOR) {
        int end = begin + VECTOR < ROWS ? begin + VECTOR : ROWS;
        int n = select_rows(q, begin, end, sel);
        r.rows += n;
        for (int k = 0; k < n; k++) {
            r.revenue += (int64_t)price[sel[k]] * quantity[sel[k]];
            r.positions += sel[k];
        }
    }
    return r;
}

int main(void)
{
    for (int i = 0; i < ROWS; i++) {
        price[i] = (int32_t)(rnd() % 10000);
        quantity[i] = (int32_t)(1 + rnd() % 50);
        day[i] = (int32_t)(rnd() % 2557);
    }
    int64_t revenue = 0, positions = 0;
    for (int k = 0; k < QUERIES; k++) {
        struct query q;
        q.price_lo = (int32_t)(rnd() % 4000);
        q.price_hi = q.price_lo + 4000 + (int32_t)(rnd() % 2000);
        q.quantity_max = 20 + (int32_t)(rnd() % 16);
        q.day_lo = (int32_t)(rnd() % 800);
        q.day_hi = q.day_lo + 1200 + (int32_t)(rnd() % 500);
        struct result r = run(&q);
        if (k % 8 == 0)
            printf("query %d rows %ld revenue %lld\n", k, r.rows, (long long)r.revenue);
        revenue += r.revenue;
        positions += r.positions;
    }
    printf("revenue %lld positions %lld\n", (long long)revenue, (long long)positions);
    return 0;
}
