// Retro console emulator: enlarges every pixel of the indexed screen to a
// block of four by four pixels in the window's line buffers.
#include <cstdint>
#include <cstdio>
#include <cstring>
enum { WIDTH = 160, LINES = 144, FRAMES = 130000 };
static uint32_t palette[64];
static uint8_t screen[LINES][WIDTH];
static uint32_t window[4][WIDTH * 4] __attribute__((aligned(64)));
template <int K> struct Span {
    uint32_t px[K];
};
template <int K> static inline void put(uint32_t *at, uint32_t colour) {
    Span<K> s;
    for (int i = 0; i < K; i++) s.px[i] = colour;
    std::memcpy(at, &s, sizeof s);
}
static __attribute__((noinline)) void draw_line(const uint8_t *line) {
    for (int x = 0; x < WIDTH; x++) {
        uint32_t colour = palette[line[x]];
        put<4>(&window[0][4 * x], colour);
        put<4>(&window[1][4 * x], colour);
        put<4>(&window[2][4 * x], colour);
        put<4>(&window[3][4 * x], colour);
    }
}
int main() {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 64; i++) palette[i] = i * 0x01030507u;
    for (int y = 0; y < LINES; y++)
        for (int x = 0; x < WIDTH; x++) screen[y][x] = uint8_t((x * 7 + y * 13) & 63);
    for (int f = 0; f < FRAMES; f++) {
        palette[f & 63] ^= uint32_t(f) << 3;
        for (int y = 0; y < LINES; y++) {
            draw_line(screen[y]);
            sum = sum * 3 + window[y & 3][(f + y) % (WIDTH * 4)];
        }
    }
    std::printf("upscale %08x\n", sum);
    return 0;
}
