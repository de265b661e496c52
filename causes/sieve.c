/* Sorts the readings of a detector: hits go to a list, noise goes to a
   histogram of amplitudes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define N 4000000
#define ROUNDS 180
static uint32_t list[1024], hist[64];
int main(void)
{
    uint8_t *ev = malloc(N);
    if (!ev)
        return 1;
    uint64_t s = 88172645463325252ull;
    for (int i = 0; i < N; i++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        ev[i] = (uint8_t)(s >> 23);
    }
    uint32_t n = 0;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++) {
            if (ev[i] & 0x10)
                list[n++ & 1023] = ev[i];
            else
                hist[ev[i] & 63] += 3;
        }
    }
    for (int i = 0; i < 64; i++)
        n = n * 31 + hist[i] + list[i];
    printf("%u\n", n);
    free(ev);
    return 0;
}
