/* Compositor: two 8-bit layers of a small window are averaged into the
   visible surface at every refresh. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef PIX
#define PIX (400 * 280)
#endif
#ifndef REFRESH
#define REFRESH 900000
#endif

__attribute__((noinline))
static void merge_layers(uint8_t *restrict vis, const uint8_t *restrict a,
                         const uint8_t *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        vis[i] = (uint8_t)((a[i] + b[i] + 1) >> 1);
}

int main(void)
{
    uint8_t *a = aligned_alloc(64, PIX), *b = aligned_alloc(64, PIX), *v = aligned_alloc(64, PIX);
    for (int i = 0; i < PIX; i++) {
        a[i] = i * 7;
        b[i] = i >> 5;
    }
    unsigned sum = 0;
    for (int t = 0; t < REFRESH; t++) {
        a[t % PIX] += 3;
        merge_layers(v, a, b, PIX);
        sum = sum * 5 + v[(t * 13) % PIX];
    }
    printf("overlay %u\n", sum);
    free(a); free(b); free(v);
    return 0;
}
