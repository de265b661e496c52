/* Michaelis-Menten rates of all cells of a tissue slice. */
#include <stdio.h>
#include <stdlib.h>
#ifndef STEPS
#define STEPS 9500000
#endif
#define CELLS 1000

__attribute__((noinline))
static void rates(double *restrict v, const double *restrict s, double vmax, double km, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = vmax * s[i] / (km + s[i]);
}

int main(void)
{
    double *s = aligned_alloc(64, CELLS * 8), *v = aligned_alloc(64, CELLS * 8), sum = 0;
    for (int i = 0; i < CELLS; i++) s[i] = 0.1 + i * 0.37;
    for (int t = 0; t < STEPS; t++) {
        rates(v, s, 2.0 + (t & 7) * 0.1, 3.3, CELLS);
        sum += v[t % CELLS];
    }
    printf("enzyme %.10g\n", sum);
    free(s); free(v);
    return 0;
}
