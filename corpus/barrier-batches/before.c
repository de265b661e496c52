/* Down-and-out call on the worst of three correlated assets, by Monte Carlo.
   The paths go in batches; a batch advances date by date, and threads share the paths of a batch. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ASSETS 3
#define BATCH 512

struct contract {
    double spot, strike, barrier, rate, volatility, correlation, expiry;
    int dates;
};

struct batch {
    uint64_t rng[BATCH];
    double x[BATCH][ASSETS];
    int dead[BATCH];
};

static double uniform(uint64_t *state)
{
    uint64_t s = *state;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    *state = s;
    return (double)(s >> 11) * (1.0 / 9007199254740992.0);
}

/* Sum of four uniform numbers, scaled to unit variance. */
static double shock(uint64_t *state)
{
    double s = uniform(state) + uniform(state) + uniform(state) + uniform(state);
    return (s - 2.0) * 1.7320508075688772;
}

static void start(struct batch *b, long number)
{
    for (int p = 0; p < BATCH; p++) {
        b->rng[p] = 0x9E3779B97F4A7C15ULL * (uint64_t)(number * BATCH + p + 1);
        b->dead[p] = 0;
        for (int a = 0; a < ASSETS; a++)
            b->x[p][a] = 0.0;
    }
}

static void advance_path(const struct contract *c, struct batch *b, int p, double level)
{
    if (b->dead[p])
        return;
    double dt = c->expiry / c->dates, scale = c->volatility * sqrt(dt);
    double drift = (c->rate - 0.5 * c->volatility * c->volatility) * dt;
    double common = sqrt(c->correlation), own = sqrt(1.0 - c->correlation);
    double m = shock(&b->rng[p]);
    for (int a = 0; a < ASSETS; a++) {
        b->x[p][a] += drift + scale * (common * m + own * shock(&b->rng[p]));
        if (b->x[p][a] <= level)
            b->dead[p] = 1;
    }
}

static void run_batch(const struct contract *c, struct batch *b, long number)
{
    double level = log(c->barrier / c->spot);
    start(b, number);
    for (int d = 0; d < c->dates; d++) {
#pragma omp parallel for schedule(static)
        for (int p = 0; p < BATCH; p++)
            advance_path(c, b, p, level);
    }
}

static double batch_payoff(const struct contract *c, const struct batch *b, long *alive)
{
    double sum = 0.0;
    for (int p = 0; p < BATCH; p++) {
        if (b->dead[p])
            continue;
        ++*alive;
        double worst = b->x[p][0];
        for (int a = 1; a < ASSETS; a++)
            if (b->x[p][a] < worst)
                worst = b->x[p][a];
        double payoff = c->spot * exp(worst) - c->strike;
        if (payoff > 0.0)
            sum += payoff;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 100;
    struct contract c = {100.0, 95.0, 70.0, 0.03, 0.22, 0.5, 1.0, 250};
    double *payoff = calloc(batches, sizeof *payoff);
    long *alive = calloc(batches, sizeof *alive);
    struct batch *b = malloc(sizeof *b);
    if (!payoff || !alive || !b)
        return 1;

    for (int k = 0; k < batches; k++) {
        run_batch(&c, b, k);
        payoff[k] = batch_payoff(&c, b, &alive[k]);
    }

    double sum = 0.0, squares = 0.0;
    long total = 0, paths = (long)batches * BATCH;
    for (int k = 0; k < batches; k++) {
        sum += payoff[k];
        squares += payoff[k] * payoff[k] / BATCH / BATCH;
        total += alive[k];
    }
    double mean = sum / paths, df = exp(-c.rate * c.expiry);
    printf("paths %ld alive at expiry %ld\n", paths, total);
    printf("price %.10f error %.10f\n", df * mean, df * sqrt((squares / batches - mean * mean) / batches));
    printf("first batch %.10f last batch %.10f\n", payoff[0] / BATCH, payoff[batches - 1] / BATCH);
    free(payoff);
    free(alive);
    free(b);
    return 0;
}
