/* Property tables of a power plant model: enthalpy of steam from pressure
   by a fitted polynomial in factored groups, for a block of sensor values. */
#include <stdio.h>
#define N 1024
#define ROUNDS 3600000
static double p[N], h[N];
int main(void)
{
    for (int i = 0; i < N; i++)
        p[i] = 0.2 + 0.5 * i / N;
    double s = 0;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++) {
            double x = p[i], x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
            double q0 = (0.3 + 0.7 * x) + x2 * (0.11 - 0.2 * x);
            double q1 = (0.9 - 0.4 * x) + x2 * (0.35 + 0.6 * x);
            double q2 = (0.5 + 0.1 * x) + x2 * (0.77 - 0.3 * x);
            double q3 = (0.8 - 0.6 * x) + x2 * (0.13 + 0.9 * x);
            h[i] = (q0 + x4 * q1) + x8 * (q2 + x4 * q3);
        }
        s += h[r % N];
        p[r % N] += 1e-9;
    }
    printf("%.6f\n", s);
    return 0;
}
