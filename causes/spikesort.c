/* Neural recording: sorts detected spikes into two unit queues by their
   amplitude; the rare artefacts are noted apart. */
#include <stdint.h>
#include <stdio.h>
enum { SPIKES = 1 << 18, SESSIONS = 3000 };
static uint16_t amp[SPIKES];
static uint32_t big[SPIKES], small[SPIKES], artefact[64];
static long nbig, nsmall, nart;
static void __attribute__((noinline)) classify(uint16_t cut) {
    long b = 0, s = 0, a = 0;
    for (uint32_t i = 0; i < SPIKES; i++) {
        uint16_t v = amp[i];
        if (v >= cut) {
            if (v > 65500) artefact[a++ & 63] = i;
            big[b++ & 1023] = i + v;
        } else {
            small[s++ & 1023] ^= v;
        }
    }
    nbig += b;
    nsmall += s;
    nart += a;
}
int main(void) {
    uint64_t s = 6;
    for (int i = 0; i < SPIKES; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        amp[i] = (uint16_t)(s >> 48);
    }
    for (int k = 0; k < SESSIONS; k++) classify((uint16_t)(32000 + k));
    printf("spikesort %ld %ld %ld %u %u %u\n", nbig, nsmall, nart, big[5], small[7], artefact[3]);
    return 0;
}
