// Cell culture model: Conway's rule on many dishes, each sixty-four cells
// wide, with one machine word per row of a dish.
#include <cstdint>
#include <cstdio>

namespace {
constexpr int kDishes = 256, kRows = 4, kDays = 4000000;

struct Bits {
    uint64_t ones, twos;
};

inline Bits add3(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t t = a ^ b;
    return {t ^ c, (a & b) | (t & c)};
}

inline uint64_t next_row(uint64_t up, uint64_t mid, uint64_t down)
{
    Bits u = add3(up << 1, up, up >> 1);
    Bits d = add3(down << 1, down, down >> 1);
    uint64_t l = mid << 1, r = mid >> 1;
    Bits s = add3(u.ones, l ^ r, d.ones);
    uint64_t p = u.twos ^ d.twos, q = (l & r) ^ s.twos;
    uint64_t four = (u.twos & d.twos) | (l & r & s.twos) | (p & q);
    return (p ^ q) & ~four & (s.ones | mid);
}

uint64_t now[kRows + 2][kDishes], then[kRows + 2][kDishes];

__attribute__((noinline))
void grow(uint64_t (*__restrict to)[kDishes],
          const uint64_t (*__restrict from)[kDishes])
{
#pragma clang loop unroll(disable)
    for (int y = 1; y <= kRows; y++)
        for (int d = 0; d < kDishes; d++)
            to[y][d] = next_row(from[y - 1][d], from[y][d], from[y + 1][d]);
}
} // namespace

int main()
{
    uint64_t seed = 88172645463325252ull, sum = 0;
    for (int y = 1; y <= kRows; y++)
        for (int d = 0; d < kDishes; d++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            now[y][d] = seed;
        }
    for (int day = 0; day < kDays / 2; day++) {
        grow(then, now);
        grow(now, then);
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        sum += now[1 + day % kRows][day % kDishes];
        now[1 + day % kRows][day % kDishes] ^= seed;
    }
    printf("culture %016llx\n", (unsigned long long)sum);
    return 0;
}
