/* Nearest-neighbour search on product-quantised vectors: distances are summed
   from per-subspace tables. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef QUERIES
#define QUERIES 2200000
#endif
#define ITEMS 600

__attribute__((noinline))
static uint32_t scan(const uint8_t (*code)[8], const uint32_t (*lut)[256], int n, uint32_t *dist)
{
    for (int i = 0; i < n; i++) {
        const uint8_t *c = code[i];
        dist[i] = lut[0][c[0]] + lut[1][c[1]] + lut[2][c[2]] + lut[3][c[3]]
                + lut[4][c[4]] + lut[5][c[5]] + lut[6][c[6]] + lut[7][c[7]];
    }
    return dist[n / 2];
}

int main(void)
{
    uint8_t (*code)[8] = malloc(ITEMS * 8);
    uint32_t (*lut)[256] = malloc(8 * 256 * 4), *dist = malloc(ITEMS * 4);
    uint32_t s = 5;
    for (int i = 0; i < ITEMS * 8; i++) {
        s = s * 1664525u + 1013904223u;
        ((uint8_t *)code)[i] = s >> 24;
    }
    for (int i = 0; i < 8 * 256; i++) lut[i >> 8][i & 255] = (i * 2654435761u) >> 20;
    uint32_t sum = 0;
    for (int q = 0; q < QUERIES; q++) {
        lut[q & 7][q >> 3 & 255] += q;
        sum = sum * 3 + scan((const uint8_t (*)[8])code, (const uint32_t (*)[256])lut, ITEMS, dist);
    }
    printf("pqscan %u\n", sum);
    free(code); free(lut); free(dist);
    return 0;
}
