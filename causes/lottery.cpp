// Draws audit samples with a keyed mixing network of twelve words; every draw
// runs the words through the rounds of the network.
#include <cstdio>
#include <cstdint>
#ifndef ROUNDS
#define ROUNDS 750000000
#endif
template <int R> static inline void mix(uint64_t &x, uint64_t &y)
{
    x += y;
    y = (y << R | y >> (64 - R)) ^ x;
}
static uint64_t draw(uint64_t seed, long rounds)
{
    uint64_t a = seed, b = seed + 1, c = seed ^ 7, d = ~seed, e = seed * 3, f = seed + 99;
    uint64_t g = seed * 5, h = seed - 1, i = seed ^ 91, j = seed * 9, k = seed + 5, l = seed ^ 1;
    for (long r = 0; r < rounds; r++) {
        mix<14>(a, b); mix<16>(c, d); mix<52>(e, f); mix<57>(g, h); mix<23>(i, j); mix<40>(k, l);
        mix<5>(a, d); mix<37>(c, f); mix<25>(e, h); mix<33>(g, j); mix<46>(i, l); mix<12>(k, b);
        mix<58>(a, f); mix<22>(c, h); mix<32>(e, j); mix<32>(g, l); mix<13>(i, b); mix<9>(k, d);
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l;
}
int main()
{
    std::printf("%016llx\n", static_cast<unsigned long long>(draw(2024, ROUNDS)));
}
