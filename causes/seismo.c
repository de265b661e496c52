/* Band-passes a seismometer trace with a cascade of two second-order
   sections and reports the energy of the filtered trace. */
#include <stdio.h>
#ifndef REPS
#define REPS 500000
#endif
#define N 2048
struct section { double b0, b1, b2, a1, a2, s1, s2; };
static double trace[N];
static inline double step(struct section *q, double x)
{
    double y = q->b0 * x + q->s1;
    q->s1 = q->b1 * x - q->a1 * y + q->s2;
    q->s2 = q->b2 * x - q->a2 * y;
    return y;
}
static double filter(struct section *first, const double *in, int n)
{
    struct section q = *first;
    double energy = 0.0;
    for (int i = 0; i < n; i++) {
        double v = step(&q, in[i]);
        energy += v * v;
    }
    *first = q;
    return energy;
}
int main(void)
{
    unsigned seed = 12345;
    for (int i = 0; i < N; i++) {
        seed = seed * 1103515245u + 12345u;
        trace[i] = (double)(seed >> 16) / 65536.0 - 0.5;
    }
    struct section s = { 0.067, 0.135, 0.067, -1.143, 0.413, 0.0, 0.0 };
    double sum = 0.0;
    for (int r = 0; r < REPS; r++)
        sum += filter(&s, trace, N);
    printf("%.9e\n", sum);
    return 0;
}
