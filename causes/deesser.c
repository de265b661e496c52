/* Audio de-esser: runs a resonant notch section over blocks of microphone
   samples and prints the energy that is left in the treble band. */
#include <stdio.h>

#define BLOCK 1024
#define BLOCKS 1000000

struct section { double b0, b1, b2, a1, a2, s1, s2; };

static double mic[BLOCK], voice[BLOCK];

static void section_run(struct section *f, const double *restrict x,
                        double *restrict y, int n)
{
    double b0 = f->b0, b1 = f->b1, b2 = f->b2, a1 = f->a1, a2 = f->a2;
    double s1 = f->s1, s2 = f->s2;
    for (int i = 0; i < n; i++) {
        double v = x[i];
        double o = b0 * v + s1;
        s1 = b1 * v - a1 * o + s2;
        s2 = b2 * v - a2 * o;
        y[i] = o;
    }
    f->s1 = s1;
    f->s2 = s2;
}

int main(void)
{
    struct section notch = { 0.92, -1.31, 0.90, -1.29, 0.81, 0.0, 0.0 };
    unsigned seed = 12345;
    double energy = 0.0;
    for (int i = 0; i < BLOCK; i++) {
        seed = seed * 1664525u + 1013904223u;
        mic[i] = (double)(seed >> 8) / 16777216.0 - 0.5;
    }
    for (int b = 0; b < BLOCKS; b++) {
        section_run(&notch, mic, voice, BLOCK);
        energy += voice[b % BLOCK] * voice[b % BLOCK];
        mic[b % BLOCK] = -mic[b % BLOCK];
    }
    printf("treble energy %.9f\n", energy);
    return 0;
}
