/* Board game engine: position keys from the pieces on 64 squares for four
   symmetric views of the board. */
#include <stdint.h>
#include <stdio.h>
#define ROUNDS 50000000
static uint64_t za[18], zb[19], zc[21], zd[16];
static uint8_t board[4][84];
int main(void)
{
    for (int i = 0; i < 16; i++) {
        za[i] = (uint64_t)(i + 1) * 0x9E3779B97F4A7C15ull;
        zb[i] = za[i] >> 5;
        zc[i] = za[i] << 3;
        zd[i] = ~za[i];
    }
    for (int i = 0; i < 256; i++)
        board[i / 64][i % 64] = (uint8_t)((i * 7) % 13);
    uint64_t sum = 0;
    for (int r = 0; r < ROUNDS; r++) {
        uint64_t a = 0, b = 0, c = 0, d = 0;
        for (int s = 0; s < 64; s++) {
            a += za[board[0][s]];
            b += zb[board[1][s]];
            c += zc[board[2][s]];
            d += zd[board[3][s]];
        }
        sum += a ^ b ^ c ^ d;
        board[r & 3][r & 63] = (uint8_t)(r % 13);
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
