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

static void fire(state *s, int v, int channel)
{
    int left = (v + VOXELS - 1) % VOXELS;
    int right = (v + 1) % VOXELS;
    switch (channel) {
    case MAKE_A: s->a[v]++; break;
    case MAKE_B: s->b[v]++; break;
    case DECAY_A: s->a[v]--; break;
    case DECAY_B: s->b[v]--; break;
    case A_LEFT: s->a[v]--; s->a[left]++; break;
    case A_RIGHT: s->a[v]--; s->a[right]++; break;
    case B_LEFT: s->b[v]--; s->b[left]++; break;
    case B_RIGHT: s->b[v]--; s->b[right]++; break;
    }
    s->fired[channel]++;
}

static void step(state *s)
{
    double w[VOXELS][CHANNELS];
    double total = 0.0;
    for (int v = 0; v < VOXELS; v++) {
        propensities(w[v], s->a[v], s->b[v]);
        for (int c = 0; c < CHANNELS; c++)
            total += w[v][c];
    }
    s->time += -log(uniform()) / total;
    double target = uniform() * total;
    int v = 0, c = 0;
    for (;;) {
        target -= w[v][c];
        if (target <= 0.0 || (v == VOXELS - 1 && c == CHANNELS - 1))
            break;
        if (++c == CHANNELS) {
            c = 0;
            v++;
        }
    }
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
