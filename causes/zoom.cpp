// Magnifies a small indexed sprite four times in both directions into a frame
// buffer line by line; transparent pixels are rare and get the backdrop.
#include <cstdio>
#include <cstdint>
#ifndef REPS
#define REPS 2400000
#endif
constexpr int W = 64, ROWS = 8, Z = 4;
static uint8_t sprite[ROWS][W];
static uint32_t palette[256];
static uint32_t frame[Z][W * Z];
template <class T> static inline void put(T *p, T v) { p[0] = v; p[1] = v; p[2] = v; p[3] = v; }
static void line(const uint8_t *s, uint32_t backdrop)
{
    for (int x = 0; x < W; x++) {
        uint32_t c = palette[s[x]];
        if (__builtin_expect(s[x] == 0, 0))
            c = backdrop + static_cast<uint32_t>(x);
        put(frame[0] + Z * x, c);
        put(frame[1] + Z * x, c);
        put(frame[2] + Z * x, c);
        put(frame[3] + Z * x, c);
    }
}
int main()
{
    uint32_t s = 6, sum = 0;
    for (auto &p : palette)
        p = s = s * 69069u + 1u;
    for (auto &r : sprite)
        for (auto &p : r)
            p = static_cast<uint8_t>((s = s * 69069u + 1u) >> 24);
    for (int r = 0; r < REPS * 6; r++) {
        line(sprite[r & (ROWS - 1)], static_cast<uint32_t>(r));
        sum += frame[r & 3][r & 255];
    }
    std::printf("%u\n", static_cast<unsigned>(sum));
}
