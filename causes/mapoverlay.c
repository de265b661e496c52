/* Fades a moving picture: every output frame is the rounded mean of the
   previous output and a still overlay. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef N
#define N (4 << 20)
#endif
#ifndef REPS
#define REPS 20000
#endif
static void fade(uint8_t *restrict out, const uint8_t *restrict still, long n)
{
    for (long i = 0; i < n; i++)
        out[i] = (uint8_t)((out[i] + still[i] + 1) >> 1);
}
int main(void)
{
    uint8_t *a = malloc(N), *b = malloc(N);
    if (!a || !b)
        return 1;
    for (long i = 0; i < N; i++) {
        a[i] = (uint8_t)(i * 13);
        b[i] = (uint8_t)(i * 7 + (i >> 9));
    }
    unsigned long sum = 0;
    for (int r = 0; r < REPS; r++) {
        fade(a, b, N);
        b[(r * 4099L) % N] ^= (uint8_t)r;
        sum += a[(r * 977L) % N];
    }
    printf("%lu\n", sum);
    free(a);
    free(b);
    return 0;
}
