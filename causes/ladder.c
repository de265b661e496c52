/* Synthesiser voice: runs a sawtooth through a one-pole filter with a soft
   non-linearity and stores the filtered buffer. */
#include <stdio.h>
double pole_step(double y, double x);
enum { FRAMES = 1024, BUFFERS = 430000 };
static double in[FRAMES], out[FRAMES];
static double render(double y) {
    for (int i = 0; i < FRAMES; i++) {
        y = pole_step(y, in[i]);
        out[i] = y;
    }
    return y;
}
int main(void) {
    double y = 0, sum = 0;
    for (int i = 0; i < FRAMES; i++) in[i] = (i % 109) / 54.5 - 1.0;
    for (int b = 0; b < BUFFERS; b++) {
        y = render(y);
        sum += out[b % FRAMES];
    }
    printf("ladder %.9f\n", sum);
    return 0;
}
