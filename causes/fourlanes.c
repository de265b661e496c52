/* Deduplicating backup: rolling keys of four streams of chunks, each stream
   with a multiplier of its own. */
#include <stdint.h>
#include <stdio.h>
#define N 2048
#define ROUNDS 1300000
static uint8_t st[4][N];
int main(void)
{
    for (int i = 0; i < 4 * N; i++)
        st[i / N][i % N] = (uint8_t)(i * 29);
    uint64_t a = 1, b = 2, c = 3, d = 4;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++) {
            a = a * 747796405u + st[0][i];
            b = b * 277803737u + st[1][i];
            c = c * 1103515245u + st[2][i];
            d = d * 1664525u + st[3][i];
        }
    }
    printf("%016llx\n", (unsigned long long)(a ^ b ^ c ^ d));
    return 0;
}
