/* Seismic modelling: leapfrog update of a wave field in one direction with
   a velocity model, trace by trace on a large section. */
#include <stdio.h>
#include <stdlib.h>
#define NT 400
#define NZ 50000
#define STEPS 190
int main(void)
{
    size_t n = (size_t)NT * NZ;
    float *u = malloc(n * 4), *w = malloc(n * 4), *c = malloc(n * 4);
    if (!u || !w || !c)
        return 1;
    for (size_t i = 0; i < n; i++) {
        u[i] = 0;
        w[i] = (i % 1000 == 500) ? 1.0f : 0.0f;
        c[i] = 0.05f + 0.01f * (float)(i % 9);
    }
    for (int k = 0; k < STEPS; k++) {
        for (int t = 0; t < NT; t++) {
            float *restrict a = u + (size_t)t * NZ;
            const float *restrict b = w + (size_t)t * NZ, *restrict v = c + (size_t)t * NZ;
            for (int z = 1; z < NZ - 1; z++)
                a[z] = 2 * b[z] - a[z] + v[z] * (b[z - 1] - 2 * b[z] + b[z + 1]);
        }
        float *h = u;
        u = w;
        w = h;
    }
    double s = 0;
    for (size_t i = 0; i < n; i++)
        s += u[i] * u[i];
    printf("%.6f\n", s);
    return 0;
}
