/* Exact stochastic simulation (Gillespie) of an activator/repressor circuit in a
   row of cells, with diffusion of the signal between neighbouring cells. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <math.h>

#define NCELL 48
#define NSPEC 3                 /* mRNA, protein, signal */
#define NCHAN 8                 /* reaction channels per cell */
#define NREACT (NCELL * NCHAN)

enum { MRNA, PROT, SIG };
enum { TRANSCRIBE, DEGRADE_M, TRANSLATE, DEGRADE_P, SECRETE, DEGRADE_S, HOP_LEFT, HOP_RIGHT };

static const int change[NCHAN][NSPEC] = {
    { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 },
    { 0, 0, 1 }, { 0, 0, -1 }, { 0, 0, -1 }, { 0, 0, -1 }
};

static int state[NCELL][NSPEC];
static double prop[NREACT];

static uint64_t seed = 0x9E3779B97F4A7C15ULL;
static double uniform(void)
{
    seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
    return ((seed >> 11) + 0.5) * (1.0 / 9007199254740992.0);
}

static double propensity(int cell, int chan)
{
    const int *x = state[cell];
    double act, rep;
    switch (chan) {
    case TRANSCRIBE:
        act = x[SIG] / 30.0;
        rep = x[PROT] / 80.0;
        return 1.0 + 12.0 * act * act / (1.0 + act * act) / (1.0 + rep * rep);
    case DEGRADE_M: return 0.8 * x[MRNA];
    case TRANSLATE: return 4.0 * x[MRNA];
    case DEGRADE_P: return 0.3 * x[PROT];
    case SECRETE:   return 0.25 * x[PROT];
    case DEGRADE_S: return 0.4 * x[SIG];
    case HOP_LEFT:  return cell > 0 ? 0.2 * x[SIG] : 0.0;
    case HOP_RIGHT: return cell < NCELL - 1 ? 0.2 * x[SIG] : 0.0;
    }
    return 0.0;
}

static double update_propensities(void)
{
    double total = 0.0;
    for (int c = 0; c < NCELL; c++)
        for (int k = 0; k < NCHAN; k++) {
            prop[c * NCHAN + k] = propensity(c, k);
            total += prop[c * NCHAN + k];
        }
    return total;
}

static int choose(double target)
{
    double acc = 0.0;
    for (int r = 0; r < NREACT; r++) {
        acc += prop[r];
        if (target < acc)
            return r;
    }
    return NREACT - 1;
}

static void fire(int r)
{
    int cell = r / NCHAN, chan = r % NCHAN;
    for (int s = 0; s < NSPEC; s++)
        state[cell][s] += change[chan][s];
    if (chan == HOP_LEFT)
        state[cell - 1][SIG]++;
    if (chan == HOP_RIGHT)
        state[cell + 1][SIG]++;
}

int main(void)
{
    const long nstep = 2000000;
    double t = 0.0, mean[NSPEC] = { 0 }, occupancy = 0.0;
    long fired[NCHAN] = { 0 };

    for (int c = 0; c < NCELL; c++) {
        state[c][MRNA] = c % 5;
        state[c][PROT] = 20 + c % 7;
        state[c][SIG] = c < NCELL / 4 ? 60 : 0;
    }
    for (long n = 0; n < nstep; n++) {
        double total = update_propensities();
        double dt = -log(uniform()) / total;
        int r = choose(uniform() * total);
        t += dt;
        occupancy += dt * state[NCELL / 2][PROT];
        fire(r);
        fired[r % NCHAN]++;
    }
    for (int c = 0; c < NCELL; c++)
        for (int s = 0; s < NSPEC; s++)
            mean[s] += (double)state[c][s] / NCELL;
    printf("time %.9f  occupancy %.9f\n", t, occupancy / t);
    printf("mean mRNA %.6f protein %.6f signal %.6f\n", mean[MRNA], mean[PROT], mean[SIG]);
    for (int k = 0; k < NCHAN; k++)
        printf("channel %d fired %ld\n", k, fired[k]);
    return 0;
}
