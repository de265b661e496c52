/* Stochastic simulation (Gillespie's direct method) of an activator and an
 * inhibitor that react inside the voxels of a ring and diffuse between them. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define VOXELS 48
#define CHANNELS 8
#define EVENTS 2000000

enum { MAKE_A, MAKE_B, DECAY_A, DECAY_B, A_LEFT, A_RIGHT, B_LEFT, B_RIGHT };

typedef struct {
    int a[VOXELS];
    int b[VOXELS];
    double time;
    long fired[CHANNELS];
    double w[VOXELS][CHANNELS]; /* propensities, kept up to date */
    double sum[VOXELS];         /* their sum in each voxel */
} state;

static uint64_t rng = 88172645463325252ull;

static double uniform(void)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return ((rng >> 11) + 0.5) / 9007199254740992.0;
}

static void propensities(double *w, int a, int b)
{
    const double ka = 60.0, kb = 0.9, half = 40.0, feed = 2.0;
    const double da = 0.8, db = 0.6, hop_a = 0.3, hop_b = 1.7;
    double act = (double)a * a / (half * half + (double)a * a);
    w[MAKE_A] = feed + ka * act / (1.0 + b / 25.0);
    w[MAKE_B] = kb * a;
    w[DECAY_A] = da * a;
    w[DECAY_B] = db * b;
    w[A_LEFT] = w[A_RIGHT] = hop_a * a;
    w[B_LEFT] = w[B_RIGHT] = hop_b * b;
}

static void refresh(state *s, int v)
{
    propensities(s->w[v], s->a[v], s->b[v]);
    double t = 0.0;
    for (int c = 0; c < CHANNELS; c++)
        t += s->w[v][c];
    s->sum[v] = t;
}

/* Fires the reaction; only the voxels that it touched get new propensities. */
static void fire(state *s, int v, int channel)
{
    int left = v == 0 ? VOXELS - 1 : v - 1;
    int right = v == VOXELS - 1 ? 0 : v + 1;
    int other = -1;
    switch (channel) {
    case MAKE_A: s->a[v]++; break;
    case MAKE_B: s->b[v]++; break;
    case DECAY_A: s->a[v]--; break;
    case DECAY_B: s->b[v]--; break;
    case A_LEFT: s->a[v]--; s->a[other = left]++; break;
    case A_RIGHT: s->a[v]--; s->a[other = right]++; break;
    case B_LEFT: s->b[v]--; s->b[other = left]++; break;
    case B_RIGHT: s->b[v]--; s->b[other = right]++; break;
    }
    s->fired[channel]++;
    refresh(s, v);
    if (other >= 0)
        refresh(s, other);
}

static void step(state *s)
{
    double total = 0.0;
    for (int v = 0; v < VOXELS; v++)
        total += s->sum[v];
    s->time += -log(uniform()) / total;
    double target = uniform() * total;
    int v = 0, c = 0;
    while (v < VOXELS - 1 && target > s->sum[v])
        target -= s->sum[v++];
    while (c < CHANNELS - 1 && target > s->w[v][c])
        target -= s->w[v][c++];
    fire(s, v, c);
}

int main(void)
{
    static state s;
    memset(&s, 0, sizeof s);
    for (int v = 0; v < VOXELS; v++) {
        s.a[v] = 30 + (v * 37) % 23;
        s.b[v] = 20 + (v * 11) % 17;
    }
    for (int v = 0; v < VOXELS; v++)
        refresh(&s, v);
    for (long e = 0; e < EVENTS; e++)
        step(&s);

    long sa = 0, sb = 0, mix = 0;
    for (int v = 0; v < VOXELS; v++) {
        sa += s.a[v];
        sb += s.b[v];
        mix += (long)(v + 1) * s.a[v] * 31 + (long)s.b[v] * (v + 7);
    }
    printf("time %.8f\n", s.time);
    printf("activator %ld inhibitor %ld mix %ld\n", sa, sb, mix);
    for (int c = 0; c < CHANNELS; c++)
        printf("channel %d fired %ld\n", c, s.fired[c]);
    return 0;
}
