/* Log collector: keeps a running identity of each of the eight channels of a
   data logger, to find out later which parts were sent twice. */
#include <stdint.h>
#include <stdio.h>

#define CHANNELS 8
#define SAMPLES 256
#define BATCHES 6000000

static uint64_t sample[SAMPLES][CHANNELS], print_of[CHANNELS];

__attribute__((noinline))
static void add_batch(uint64_t *id, const uint64_t (*s)[CHANNELS], int n)
{
    uint64_t a = id[0], b = id[1], c = id[2], d = id[3];
    uint64_t e = id[4], f = id[5], g = id[6], h = id[7];
    const uint64_t base = 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < n; i++) {
        a = a * base + s[i][0];
        b = b * base + s[i][1];
        c = c * base + s[i][2];
        d = d * base + s[i][3];
        e = e * base + s[i][4];
        f = f * base + s[i][5];
        g = g * base + s[i][6];
        h = h * base + s[i][7];
    }
    id[0] = a, id[1] = b, id[2] = c, id[3] = d;
    id[4] = e, id[5] = f, id[6] = g, id[7] = h;
}

int main(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < CHANNELS; k++)
            sample[i][k] = (uint64_t)(i * 977 + k * 31) & 4095;
    for (int b = 0; b < BATCHES; b++) {
        add_batch(print_of, (const uint64_t (*)[CHANNELS])sample, SAMPLES);
        sample[b % SAMPLES][b & 7] = (unsigned)b & 4095;
    }
    for (int k = 0; k < CHANNELS; k++)
        sum = sum * 31 + print_of[k];
    printf("channel prints %016llx\n", (unsigned long long)sum);
    return 0;
}
