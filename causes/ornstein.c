/* Interest-rate model: mean-reverting short rates of sixty-four scenarios,
   stepped along one path of common shocks. */
#include <stdio.h>
typedef float v8 __attribute__((vector_size(32)));
enum { STEPS = 2048, PATHS = 1650000 };
static float shock[STEPS];
static v8 rate[8];
static void __attribute__((noinline)) path(float keep) {
    v8 a = rate[0], b = rate[1], c = rate[2], d = rate[3];
    v8 e = rate[4], f = rate[5], g = rate[6], h = rate[7];
    v8 k = {keep, keep, keep, keep, keep, keep, keep, keep};
    for (int t = 0; t < STEPS; t++) {
        float z = shock[t];
        v8 w = {z, z, z, z, z, z, z, z};
        a = a * k + w;
        b = b * k + w;
        c = c * k + w;
        d = d * k + w;
        e = e * k + w;
        f = f * k + w;
        g = g * k + w;
        h = h * k + w;
    }
    rate[0] = a; rate[1] = b; rate[2] = c; rate[3] = d;
    rate[4] = e; rate[5] = f; rate[6] = g; rate[7] = h;
}
int main(void) {
    double sum = 0;
    for (int t = 0; t < STEPS; t++) shock[t] = (float)(t % 37) * 0.001f - 0.01f;
    for (int i = 0; i < 8; i++)
        for (int l = 0; l < 8; l++) rate[i][l] = (float)(i * 8 + l) * 0.002f;
    for (int p = 0; p < PATHS; p++) {
        path(0.9f + (float)(p & 7) * 0.01f);
        sum += rate[p & 7][p & 7];
    }
    printf("ornstein %.6f\n", sum);
    return 0;
}
