/* Restores a text from its transformed form by walking the last-to-first
   mapping, as the decoder of a block-sorting compressor does. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef BITS
#define BITS 26
#endif
#ifndef STEPS
#define STEPS 11000000u
#endif
static uint64_t restore(const uint32_t *map, uint32_t steps)
{
    uint8_t out[4096];
    uint64_t sum = 0;
    uint32_t at = 1;
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t e = map[at];
        out[i & 4095] = (uint8_t)(e >> 18);
        if ((i & 4095) == 4095)
            sum = sum * 131 + out[17] + out[4000];
        at = e;
    }
    return sum + at;
}
int main(void)
{
    uint32_t n = 1u << BITS;
    uint32_t *map = malloc((size_t)n * sizeof *map);
    if (!map)
        return 1;
    for (uint32_t i = 0; i < n; i++)
        map[i] = (i * 2654435769u + 12345u) & (n - 1);
    printf("%llu\n", (unsigned long long)restore(map, STEPS));
    free(map);
    return 0;
}
