/* Mixes a track of a multitrack recording into the master bus, once for
   each gain of an automation curve. */
#include <stdio.h>
#define N 28672
#define ROUNDS 1200000
static float bus[N] __attribute__((aligned(64))), track[N] __attribute__((aligned(64)));
int main(void)
{
    for (int i = 0; i < N; i++)
        track[i] = (float)((i * 37) % 101) / 101.0f - 0.5f;
    for (int r = 0; r < ROUNDS; r++) {
        float gain = (float)(r % 17) * 0.001f;
        for (int i = 0; i < N; i++)
            bus[i] += gain * track[i];
    }
    double s = 0;
    for (int i = 0; i < N; i++)
        s += bus[i];
    printf("%.3f\n", s);
    return 0;
}
