/* Network capture reader: verifies the frame check sequence of Ethernet
   frames held in a ring of buffers. */
#include <stdint.h>
#include <stdio.h>
enum { FRAME = 1514, RING = 8, ROUNDS = 145000 };
static uint8_t ring[RING][FRAME];
static uint32_t table[256];
static uint32_t frame_crc(const uint8_t *p, int len) {
    uint32_t c = 0xffffffffu;
    for (int i = 0; i < len; i++)
        c = table[(c ^ p[i]) & 255] ^ (c >> 8);
    return ~c;
}
int main(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = (c >> 1) ^ ((c & 1) ? 0xedb88320u : 0);
        table[i] = c;
    }
    uint32_t s = 7, sum = 0;
    for (int f = 0; f < RING; f++)
        for (int i = 0; i < FRAME; i++) {
            s = s * 1103515245u + 12345u;
            ring[f][i] = (uint8_t)(s >> 16);
        }
    for (int r = 0; r < ROUNDS; r++)
        for (int f = 0; f < RING; f++) {
            ring[f][r & 63]++;
            sum = sum * 31 + frame_crc(ring[f], FRAME - (int)(sum & 1));
        }
    printf("framecheck %08x\n", sum);
    return 0;
}
