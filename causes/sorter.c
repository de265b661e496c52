/* Sorts letters of a mail stream into two bags by post code; each bag keeps
   its own running label and list. */
#include <stdio.h>
#include <stdint.h>
#ifndef LETTERS
#define LETTERS 900000000u
#endif
static uint32_t north[1024], south[1024];
int main(void)
{
    uint64_t s = 88172645463325252ull;
    uint32_t nn = 0, ns = 0, label = 1;
    for (uint32_t i = 0; i < LETTERS; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        uint32_t code = (uint32_t)(s >> 40);
        if (code & 4) {
            north[nn & 1023] = code;
            nn++;
            label += 3;
        } else {
            south[ns & 1023] += code ^ label;
            ns += 1 + (code & 1);
        }
    }
    uint32_t sum = label;
    for (int i = 0; i < 1024; i++)
        sum += north[i] * 3u + south[i];
    printf("%u %u %u\n", (unsigned)sum, (unsigned)nn, (unsigned)ns);
    return 0;
}
