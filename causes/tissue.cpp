// Photon packets in skin: each event is absorption, scattering or a step on,
// decided by a table of pre-drawn random numbers.
#include <cstdint>
#include <cstdio>
#include <vector>
#ifndef PACKETS
#define PACKETS 800
#endif

int main()
{
    const size_t n = 1 << 20;
    std::vector<uint16_t> draw(n);
    uint64_t s = 0x853c49e6748fea9bull;
    for (auto &d : draw) {
        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
        d = (uint16_t)(s >> 24);
    }
    std::vector<uint32_t> depthHist(256);
    uint64_t absorbed = 0, scattered = 0;
    uint32_t depth = 0;
    for (int p = 0; p < PACKETS; p++) {
        const uint16_t cut = 29000 + (p & 31) * 200;
        for (size_t i = 0; i < n; i++) {
            if (draw[i] < cut) {
                depthHist[depth & 255]++;
                absorbed += draw[i] & 15;
            } else {
                depth += draw[i] >> 9;
                scattered++;
            }
        }
    }
    uint64_t h = absorbed * 31 + scattered;
    for (auto d : depthHist) h = h * 33 + d;
    std::printf("tissue %llu\n", (unsigned long long)h);
}
