// Verifies the sections of a firmware image against their checksums.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>
#ifndef ROUNDS
#define ROUNDS 55000
#endif

class Crc32 {
    std::array<uint32_t, 256> tab;
public:
    Crc32() {
        for (uint32_t n = 0; n < 256; n++) {
            uint32_t c = n;
            for (int k = 0; k < 8; k++) c = (c & 1) ? 0xedb88320u ^ (c >> 1) : c >> 1;
            tab[n] = c;
        }
    }
    uint32_t update(uint32_t crc, const uint8_t *p, size_t len) const {
        crc = ~crc;
        for (size_t i = 0; i < len; i++)
            crc = tab[(crc ^ p[i]) & 0xff] ^ (crc >> 8);
        return ~crc;
    }
};

int main()
{
    std::vector<uint8_t> image(24000);
    uint32_t s = 7;
    for (auto &b : image) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; b = s; }
    Crc32 crc;
    uint32_t acc = 0;
    for (int r = 0; r < ROUNDS; r++) {
        image[r % image.size()] ^= r;
        acc = crc.update(acc, image.data(), image.size());
    }
    std::printf("firmware %08x\n", acc);
}
