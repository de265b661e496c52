// Turtle graphics: a long random command string moves a pen on a small
// canvas; pen marks are left where commands ask for them.
#include <cstdint>
#include <cstdio>
#include <vector>
static uint8_t canvas[64][64];
int main()
{
    std::vector<uint8_t> cmd(3000000);
    uint64_t s = 1234567;
    for (auto &c : cmd) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        c = static_cast<uint8_t>(s >> 61);
    }
    uint32_t x = 0, y = 0, ink = 1, marks = 0;
    for (int r = 0; r < 110; r++) {
        for (uint8_t c : cmd) {
            switch (c) {
            case 0: x++; break;
            case 1: y++; canvas[y & 63][3]++; break;
            case 2: canvas[y & 63][x & 63] ^= static_cast<uint8_t>(ink); break;
            case 3: ink = ink * 5 + 1; break;
            case 4: canvas[7][x & 63] = 1; marks++; break;
            case 5: x += y; break;
            case 6: marks += canvas[x & 63][y & 63]; break;
            default: y ^= ink; canvas[9][9]++; break;
            }
        }
    }
    for (auto &row : canvas)
        for (uint8_t v : row)
            marks = marks * 31 + v;
    std::printf("%u %u %u\n", x, y, marks);
    return 0;
}
