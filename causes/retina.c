/* Artificial retina: every frame the cells forget a part of their state and
   add the light that falls on them. */
#include <stdio.h>

#define CELLS 30000
static float state[CELLS], light[CELLS];

__attribute__((noinline))
static void frame(float *restrict s, const float *restrict l, float keep, int n)
{
    for (int i = 0; i < n; i++)
        s[i] = s[i] * keep + l[i];
}

int main(void)
{
    double sum = 0.0;
    for (int i = 0; i < CELLS; i++)
        light[i] = (float)((i * 37) % 101) * 0.01f;
    for (int t = 0; t < 1100000; t++)
        frame(state, light, (t & 1) ? 0.90f : 0.91f, CELLS);
    for (int i = 0; i < CELLS; i++)
        sum += state[i];
    printf("response %.4f\n", sum);
    return 0;
}
