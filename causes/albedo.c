/* Evaluates a fitted albedo curve (a polynomial of high degree in the solar
   angle) for the cells of a climate model's row. */
#include <stdio.h>
#ifndef REPS
#define REPS 6000000
#endif
#define N 2048
static float angle[N], alb[N];
static inline float curve(float x)
{
    static const float c[12] = { .31f, -.12f, .073f, .21f, -.18f, .05f, .011f,
                                 -.032f, .027f, -.014f, .0061f, .0023f };
    float x2 = x * x, x4 = x2 * x2;
    float lo = (c[0] + c[1] * x) + (c[2] + c[3] * x) * x2;
    float mid = (c[4] + c[5] * x) + (c[6] + c[7] * x) * x2;
    float hi = (c[8] + c[9] * x) + (c[10] + c[11] * x) * x2;
    return lo + (mid + hi * x4) * x4;
}
static void row(const float *restrict a, float *restrict r)
{
    for (int i = 0; i < N; i++)
        r[i] = curve(a[i]);
}
int main(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        angle[i] = (float)i / N;
    for (int k = 0; k < REPS; k++) {
        row(angle, alb);
        sum += alb[k & (N - 1)];
        angle[k & (N - 1)] += 1e-6f;
    }
    printf("%.8e\n", sum);
    return 0;
}
