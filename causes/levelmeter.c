/* Recording studio: mean of each of the eight channels of a take, to find
   converters that have drifted away from zero. */
#include <stdint.h>
#include <stdio.h>

#define CHANNELS 8
#define FRAMES 8008
#define BLOCKS 1400000

static int32_t take[CHANNELS][FRAMES] __attribute__((aligned(64)));

static void measure(const int32_t (*ch)[FRAMES], uint32_t *level)
{
    uint32_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    for (int i = 0; i < FRAMES; i++) {
        a += (uint32_t)ch[0][i];
        b += (uint32_t)ch[1][i];
        c += (uint32_t)ch[2][i];
        d += (uint32_t)ch[3][i];
        e += (uint32_t)ch[4][i];
        f += (uint32_t)ch[5][i];
        g += (uint32_t)ch[6][i];
        h += (uint32_t)ch[7][i];
    }
    level[0] = a, level[1] = b, level[2] = c, level[3] = d;
    level[4] = e, level[5] = f, level[6] = g, level[7] = h;
}

int main(void)
{
    uint32_t level[CHANNELS];
    uint64_t sum = 0;
    for (int k = 0; k < CHANNELS; k++)
        for (int i = 0; i < FRAMES; i++)
            take[k][i] = (i * (2 * k + 7) % 65537) - 32768;
    for (int b = 0; b < BLOCKS; b++) {
        measure((const int32_t (*)[FRAMES])take, level);
        for (int k = 0; k < CHANNELS; k++)
            sum += level[k];
        take[b & 7][b % FRAMES] = (b & 65535) - 32768;
    }
    printf("offsets %llu\n", (unsigned long long)sum);
    return 0;
}
