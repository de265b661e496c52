// Railway interlocking: the generated table of 4096 route conditions, each a
// mask over the state words of the signals, as one unrolled check.
#include <cstdint>
#include <cstdio>
#include <utility>

namespace {
constexpr int kSignals = 2048, kTicks = 2600000;

uint64_t state[kSignals];

constexpr uint64_t mask(unsigned n)
{
    return ((n * 2654435761u) & 0x3fffffffu) | 0x40000000u;
}

struct Verdict {
    uint64_t a, b, c, d;
};

template <unsigned N>
__attribute__((always_inline)) inline void route(Verdict &v, const uint64_t *s)
{
    v.a += s[4 * N] & mask(8 * N);
    v.b += s[4 * N] & mask(8 * N + 1);
    v.c += s[4 * N + 1] & mask(8 * N + 2);
    v.d += s[4 * N + 1] & mask(8 * N + 3);
    v.a ^= s[4 * N + 2] & mask(8 * N + 4);
    v.b ^= s[4 * N + 2] & mask(8 * N + 5);
    v.c ^= s[4 * N + 3] & mask(8 * N + 6);
    v.d ^= s[4 * N + 3] & mask(8 * N + 7);
}

template <unsigned... N>
__attribute__((always_inline)) inline void check(Verdict &v, const uint64_t *s,
                  std::integer_sequence<unsigned, N...>)
{
    (route<N>(v, s), ...);
}
} // namespace

int main()
{
    uint64_t sum = 0;
    for (int i = 0; i < kSignals; i++)
        state[i] = 0x9e3779b97f4a7c15ull * static_cast<unsigned>(i + 1);
    for (int t = 0; t < kTicks; t++) {
        Verdict v{1, 2, 3, 4};
        check(v, state,
              std::make_integer_sequence<unsigned, kSignals / 4>());
        sum += v.a ^ v.b ^ v.c ^ v.d;
        state[t % kSignals] += sum | 1;
    }
    printf("interlocking %016llx\n", (unsigned long long)sum);
    return 0;
}
