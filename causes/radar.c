/* Subtracts a stored clutter map from radar sweeps of 16-bit samples and
   keeps a decaying background of the same size. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef N
#define N (60L << 20)
#endif
#ifndef SWEEPS
#define SWEEPS 180
#endif
static void clutter(int16_t *restrict map, const int16_t *restrict sweep, long n)
{
    for (long i = 0; i < n; i++)
        map[i] = (int16_t)(map[i] - (map[i] >> 3) + (sweep[i] >> 3));
}
int main(void)
{
    int16_t *m = malloc(N * sizeof *m), *w = malloc(N * sizeof *w);
    if (!m || !w)
        return 1;
    for (long i = 0; i < N; i++) {
        m[i] = 0;
        w[i] = (int16_t)(i * 40503u >> 3);
    }
    long sum = 0;
    for (int r = 0; r < SWEEPS; r++) {
        clutter(m, w, N);
        sum += m[(r * 104729L) % N];
    }
    printf("%ld\n", sum);
    free(m);
    free(w);
    return 0;
}
