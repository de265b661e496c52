/* Extracts sequence from a Burrows-Wheeler index by walking the last-to-first
   mapping backwards from given rows. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef ROWS
#define ROWS 40000000u
#endif
#ifndef READS
#define READS 1000
#endif
#define READLEN 10000

int main(void)
{
    uint32_t *lf = malloc(ROWS * sizeof(uint32_t));
    uint32_t cnt[4] = { 0 }, first[4];
    uint64_t r = 0x9e3779b97f4a7c15ull;
    for (uint32_t i = 0; i < ROWS; i++) {
        r ^= r << 13; r ^= r >> 7; r ^= r << 17;
        uint32_t c = (r >> 40) & 3;
        lf[i] = c << 30 | cnt[c]++;
    }
    first[0] = 0;
    for (int c = 1; c < 4; c++) first[c] = first[c - 1] + cnt[c - 1];
    for (uint32_t i = 0; i < ROWS; i++) lf[i] = first[lf[i] >> 30] + (lf[i] & 0x3fffffffu);

    uint64_t sum = 0;
    uint32_t row = 17;
    for (int k = 0; k < READS; k++) {
        row = (uint32_t)((row * 2654435761ull + k) % ROWS);
        uint32_t gc = 0;
        for (int i = 0; i < READLEN; i++) {
            row = lf[row];
            gc += row & 1;
        }
        sum = sum * 31 + gc + row;
    }
    printf("readmap %llu\n", (unsigned long long)sum);
    free(lf);
    return 0;
}
