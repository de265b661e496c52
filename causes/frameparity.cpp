// Checks link-layer frames: computes the 16-bit frame check sequence over
// each received frame with the polynomial given as a template argument.
#include <cstdio>
#include <cstdint>
#include <vector>
#ifndef REPS
#define REPS 230000
#endif
template <uint32_t Poly> struct Fcs {
    uint32_t t[256];
    Fcs() {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;
            for (int k = 0; k < 8; k++)
                c = (c & 1) ? (c >> 1) ^ Poly : c >> 1;
            t[i] = c;
        }
    }
    inline uint32_t update(uint32_t c, uint8_t b) const { return t[(c ^ b) & 0xff] ^ (c >> 8); }
};
template <class F>
static uint32_t frame(const F &f, const std::vector<uint8_t> &v, uint32_t c)
{
    for (uint8_t b : v)
        c = f.update(c, b);
    return c;
}
int main()
{
    Fcs<0x8408u> f;
    std::vector<uint8_t> v(1500 * 4);
    uint32_t s = 7;
    for (auto &b : v) {
        s = s * 22695477u + 1u;
        b = static_cast<uint8_t>(s >> 20);
    }
    uint32_t c = 0xffff, sum = 0;
    for (int r = 0; r < REPS; r++) {
        c = frame(f, v, c ^ static_cast<uint32_t>(r & 0xffff));
        sum += c;
    }
    std::printf("%08x\n", static_cast<unsigned>(sum));
}
