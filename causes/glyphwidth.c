/* Text layout: total advance and ink height of runs of text; characters map
   to glyphs by the font's table; glyph 0 (missing) is rare. */
#include <stdint.h>
#include <stdio.h>
#define N 2048
#define ROUNDS 1300000
static uint8_t text[N];
static uint16_t cmap[256];
static uint64_t adv[258], asc[261], desc[263], kern[256];
int main(void)
{
    for (int i = 0; i < 256; i++) {
        cmap[i] = (uint16_t)(((i * 77 + 5) & 255) | 1);
        adv[i] = (uint64_t)i * 3;
        asc[i] = (uint64_t)i + 9;
        desc[i] = (uint64_t)i ^ 5;
        kern[i] = (uint64_t)i & 7;
    }
    for (int i = 0; i < N; i++)
        text[i] = (uint8_t)(97 + (i * 31) % 26);
    text[100] = 51;
    cmap[51] = 0;
    uint64_t w = 0, up = 0, dn = 0, kn = 0, miss = 0;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++) {
            unsigned g = cmap[text[i]];
            if (g == 0) {
                miss++;
                continue;
            }
            w += adv[g];
            up += asc[g];
            dn += desc[g];
            kn += kern[g];
        }
        text[r % 64] = (uint8_t)(97 + r % 26);
    }
    printf("%llu %llu\n", (unsigned long long)(w + up + dn + kn), (unsigned long long)miss);
    return 0;
}
