/* Scores candidate images by quantised codes: every code selects an entry of
   the query's distance tables and the entries are added. */
#include <stdio.h>
#include <stdint.h>
#ifndef REPS
#define REPS 1600000
#endif
#define SUB 16
#define ITEMS 384
static uint32_t table[SUB][256];
static uint8_t code[ITEMS][SUB];
static uint32_t scan(uint32_t best)
{
    for (int i = 0; i < ITEMS; i++) {
        const uint8_t *c = code[i];
        uint32_t d = table[0][c[0]] + table[1][c[1]] + table[2][c[2]] + table[3][c[3]]
                   + table[4][c[4]] + table[5][c[5]] + table[6][c[6]] + table[7][c[7]]
                   + table[8][c[8]] + table[9][c[9]] + table[10][c[10]] + table[11][c[11]]
                   + table[12][c[12]] + table[13][c[13]] + table[14][c[14]] + table[15][c[15]];
        if (d < best)
            best = d;
    }
    return best;
}
int main(void)
{
    uint32_t s = 8, sum = 0;
    for (int i = 0; i < SUB * 256; i++)
        table[i / 256][i % 256] = (s = s * 1664525u + 1013904223u) >> 12;
    for (int i = 0; i < ITEMS * SUB; i++)
        code[i / SUB][i % SUB] = (uint8_t)((s = s * 1664525u + 1013904223u) >> 24);
    for (int r = 0; r < REPS; r++) {
        table[r & 15][(r >> 4) & 255] ^= 1u;
        sum += scan(~0u);
    }
    printf("%u\n", (unsigned)sum);
    return 0;
}
