/* Measures distances of fishing boats from a harbour on a local map, with the
   height of the harbour tower taken into account. */
#include <stdio.h>
#include <math.h>
#ifndef REPS
#define REPS 2700000
#endif
#define N 1000
static double bx[N], by[N], dist[N];
static inline double range(double x, double y) { return sqrt(x * x + y * y + 25.0); }
static void ranges(double hx, double hy)
{
    for (int i = 0; i < N; i++)
        dist[i] = range(bx[i] - hx, by[i] - hy);
}
int main(void)
{
    for (int i = 0; i < N; i++) {
        bx[i] = (i * 37) % 1009;
        by[i] = (i * 53) % 997;
    }
    double sum = 0;
    for (int r = 0; r < REPS; r++) {
        ranges(r % 100 + 0.5, r % 77 + 0.25);
        sum += dist[r % N];
    }
    printf("%.9e\n", sum);
    return 0;
}
