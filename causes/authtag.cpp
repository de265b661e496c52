// Authentication tags of network messages: three messages of equal length
// are hashed side by side with a SipHash-like round.
#include <cstdint>
#include <cstdio>
template <int N> static inline uint64_t rot(uint64_t v) { return v << N | v >> (64 - N); }
struct State { uint64_t v0, v1, v2, v3; };
template <int P, int Q>
static inline void half(State &s)
{
    s.v0 += s.v1; s.v2 += s.v3;
    s.v1 = rot<P>(s.v1); s.v3 = rot<Q>(s.v3);
    s.v1 ^= s.v0; s.v3 ^= s.v2;
    s.v0 = rot<32>(s.v0);
}
static inline void absorb(State &s, uint64_t m)
{
    s.v3 ^= m;
    half<13, 16>(s);
    State t = {s.v2, s.v1, s.v0, s.v3};
    half<17, 21>(t);
    s.v2 = t.v0; s.v1 = t.v1; s.v0 = t.v2; s.v3 = t.v3;
}
static uint64_t msg[1024];
int main()
{
    for (int i = 0; i < 1024; i++)
        msg[i] = static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15ull;
    State a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, c = {9, 10, 11, 12};
    for (int r = 0; r < 750000; r++) {
        for (int i = 0; i < 1024; i++) {
            absorb(a, msg[i]);
            absorb(b, msg[i]);
            absorb(c, msg[i]);
        }
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(a.v0 ^ b.v1 ^ c.v2 ^ a.v3 ^ b.v3));
    return 0;
}
