// Bins DNA words (three packed 32-bit pieces each) with a mixing hash; three
// words are hashed side by side.
#include <cstdint>
#include <cstdio>
#include <vector>
#ifndef READS
#define READS 2200000
#endif
struct Word { uint32_t a, b, c; };

static inline uint32_t rot(uint32_t x, int k) { return x << k | x >> (32 - k); }
static inline void blend(uint32_t &a, uint32_t &b, uint32_t &c)
{
    a -= c; a ^= rot(c, 4); c += b;
    b -= a; b ^= rot(a, 6); a += c;
    c -= b; c ^= rot(b, 8); b += a;
    a -= c; a ^= rot(c, 16); c += b;
    b -= a; b ^= rot(a, 19); a += c;
    c -= b; c ^= rot(b, 4); b += a;
}

__attribute__((noinline))
static void bins(const Word *w, uint32_t *out, int n, uint32_t seed)
{
    for (int i = 0; i < n; i += 3) {
        uint32_t a = w[i].a + seed, b = w[i].b, c = w[i].c;
        uint32_t d = w[i + 1].a + seed, e = w[i + 1].b, f = w[i + 1].c;
        uint32_t g = w[i + 2].a + seed, h = w[i + 2].b, k = w[i + 2].c;
        blend(a, b, c);
        blend(d, e, f);
        blend(g, h, k);
        out[i] = c;
        out[i + 1] = f;
        out[i + 2] = k;
    }
}

int main()
{
    const int n = 600;
    std::vector<Word> words(n);
    std::vector<uint32_t> out(n);
    uint32_t s = 1, sum = 0;
    auto rnd = [&s] { s = s * 1664525u + 1013904223u; return s ^ s >> 15; };
    for (auto &w : words) w = { rnd(), rnd(), rnd() };
    for (int r = 0; r < READS; r++) {
        bins(words.data(), out.data(), n, r);
        sum = sum * 3 + out[(r * 7) % n];
    }
    std::printf("kmerbin %08x\n", sum);
}
