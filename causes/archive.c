/* Integrity check of an archive: the CRC-32 of a stored member is computed
   again and again over its blocks. */
#include <stdint.h>
#include <stdio.h>
#define N 8192
#define ROUNDS 160000
static uint32_t tab[256];
static uint8_t blk[N];
int main(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = (c & 1) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        tab[i] = c;
    }
    for (int i = 0; i < N; i++)
        blk[i] = (uint8_t)((i * 2654435761u) >> 13);
    uint32_t crc = 0xffffffffu;
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < N; i++)
            crc = tab[(crc ^ blk[i]) & 255] ^ (crc >> 8);
    printf("%08x\n", ~crc);
    return 0;
}
