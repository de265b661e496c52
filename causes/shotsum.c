/* Seismic imaging: zero-lag correlation of source and receiver wavefields is
   added to the image at each time step. */
#include <stdio.h>
#include <stdlib.h>
#ifndef NX
#define NX 800
#endif
#ifndef NZ
#define NZ 760
#endif
#ifndef STEPS
#define STEPS 24000
#endif

__attribute__((noinline))
static void correlate(float *restrict img, const float *restrict src,
                      const float *restrict rcv, long n)
{
    for (long i = 0; i < n; i++)
        img[i] += src[i] * rcv[i];
}

int main(void)
{
    long n = (long)NX * NZ;
    float *img = aligned_alloc(4096, n * 4 + 4096 - (n * 4) % 4096);
    float *src = aligned_alloc(4096, n * 4 + 4096 - (n * 4) % 4096);
    float *rcv = aligned_alloc(4096, n * 4 + 4096 - (n * 4) % 4096);
    for (long i = 0; i < n; i++) {
        img[i] = 0;
        src[i] = (float)(i % 13) - 6.0f;
        rcv[i] = (float)(i % 17) - 8.0f;
    }
    for (int t = 0; t < STEPS; t++) {
        src[t % n] = -src[t % n];
        correlate(img, src, rcv, n);
    }
    double s = 0;
    for (long i = 0; i < n; i++) s += img[i];
    printf("shotsum %.6g\n", s);
    free(img); free(src); free(rcv);
    return 0;
}
