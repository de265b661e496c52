/* Telescope pipeline: sends detections to the bright or the faint queue and
   adds up the exposure of those that came through the red filter. */
#include <stdint.h>
#include <stdio.h>

#define EVENTS 65536
#define NIGHTS 7500

static uint32_t event[EVENTS], bright[EVENTS], faint[EVENTS];

int main(void)
{
    uint64_t seed = 88172645463325252ull, sum = 0;
    for (int i = 0; i < EVENTS; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        event[i] = (uint32_t)(seed >> 16);
    }
    for (int n = 0; n < NIGHTS; n++) {
        uint32_t *b = bright, *f = faint;
        for (int i = 0; i < EVENTS; i++) {
            uint32_t e = event[i];
            if (e & 0x80000000u) {
                *b++ = e;
                if (e & 1)
                    sum += e >> 3;
            } else {
                *f++ = e ^ 0x55;
                if (e & 2)
                    sum ^= e;
            }
        }
        sum += (uint64_t)(b - bright) * bright[n & 1023] + faint[n & 1023];
    }
    printf("exposure %llu\n", (unsigned long long)sum);
    return 0;
}
