/* Film scanner: sends the densities of a scan line through the grading
   curve of the film stock, given as a polynomial per stock. */
#include <stdio.h>

#define PIX 1536
static float line[PIX], graded[PIX];

struct stock { float c[8]; };

static inline float curve(const struct stock *s, float d)
{
    float y = s->c[7];
    for (int k = 6; k >= 0; k--)
        y = y * d + s->c[k];
    return y;
}

__attribute__((noinline))
static void grade(float *restrict out, const float *restrict in, struct stock s, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = curve(&s, in[i]);
}

int main(void)
{
    struct stock s;
    double sum = 0.0;
    for (int k = 0; k < 8; k++)
        s.c[k] = 1.0f / (float)(1 + k);
    for (int i = 0; i < PIX; i++)
        line[i] = (float)i / PIX - 0.5f;
    for (int t = 0; t < 11500000; t++) {
        s.c[0] = (float)(t & 15);
        grade(graded, line, s, PIX);
        sum += graded[t % PIX];
    }
    printf("density %.5f\n", sum);
    return 0;
}
