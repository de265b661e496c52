/* Seismic line: updates the particle velocity along a long profile from the
   pressure differences and the local density. */
#include <stdio.h>
#include <stdlib.h>

static void kick(double *restrict v, const double *restrict p,
                 const double *restrict buoy, long n, double dt)
{
    for (long i = 0; i < n; i++)
        v[i] += dt * (p[i + 1] - p[i]) * buoy[i];
}

int main(void)
{
    long n = 6000000;
    double *v = calloc(n, sizeof *v), *p = malloc((n + 1) * sizeof *p);
    double *buoy = malloc(n * sizeof *buoy), s = 0.0;
    if (!v || !p || !buoy)
        return 1;
    for (long i = 0; i <= n; i++)
        p[i] = (i % 113) * 0.25;
    for (long i = 0; i < n; i++)
        buoy[i] = 1.0 / (2.0 + (i & 7));
    for (int t = 0; t < 320; t++) {
        kick(v, p, buoy, n, 1e-3 * (1 + t % 3));
        p[t * 1001] += v[t * 997];
    }
    for (long i = 0; i < n; i += 101)
        s += v[i];
    printf("velocity %.9f\n", s);
    return 0;
}
