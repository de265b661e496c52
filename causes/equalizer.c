/* Mono audio equalizer: one peaking biquad section is run over blocks of
   samples and the output energy is reported. */
#include <stdio.h>
#define N 4096
#define ROUNDS 420000
static double in[N], out[N];
int main(void)
{
    unsigned s = 99;
    for (int i = 0; i < N; i++) {
        s = s * 1664525u + 1013904223u;
        in[i] = (double)(int)s / 2147483648.0;
    }
    double y1 = 0, y2 = 0, e = 0;
    const double b0 = 0.24, a1 = -1.31, a2 = 0.55;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++) {
            double y = (b0 * in[i] - a2 * y2) - a1 * y1;
            out[i] = y;
            y2 = y1;
            y1 = y;
        }
        e += out[r % N] * out[r % N];
    }
    printf("%.9f\n", e);
    return 0;
}
