/* Particle-in-cell: positions of charged particles are advanced by their
   velocities (one component), with a common time step. */
#include <stdio.h>
#include <stdlib.h>
#define N 16000000
#define STEPS 110
int main(void)
{
    double *x = malloc(N * sizeof *x), *v = malloc(N * sizeof *v);
    if (!x || !v)
        return 1;
    for (int i = 0; i < N; i++) {
        x[i] = i * 1e-6;
        v[i] = (double)(i % 13) - 6.0;
    }
    for (int k = 0; k < STEPS; k++) {
        double dt = 1e-4 * (1 + k % 3);
        x[k] = 0.0;
        for (int i = 0; i < N; i++)
            x[i] += dt * v[i];
    }
    double s = 0;
    for (int i = 0; i < N; i += 1000)
        s += x[i];
    printf("%.6f\n", s);
    return 0;
}
