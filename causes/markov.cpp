// Melody generator: walks a large Markov model that was learned from scores
// and prints a fingerprint of the notes it would play.
#include <cstdint>
#include <cstdio>
#include <memory>

namespace {
constexpr uint32_t kStates = 8u << 20;
constexpr int kNotes = 11000000;

struct State {
    uint32_t follow[4];
    uint32_t note, length, loudness, phrase;
};

struct Dice {
    uint32_t s;
    uint32_t roll()
    {
        s = s * 1664525u + 1013904223u;
        return s >> 16;
    }
};

template <class Chance>
inline uint32_t advance(const State *model, uint32_t at, Chance &chance)
{
    return model[at].follow[chance.roll() & 3];
}

template <class Chance>
uint64_t play(const State *model, int notes, Chance chance)
{
    uint64_t print = 0;
    uint32_t at = 1;
    for (int i = 0; i < notes; i++) {
        at = advance(model, at, chance);
        print += model[at].note + at;
    }
    return print;
}
} // namespace

int main()
{
    std::unique_ptr<State[]> model(new State[kStates]);
    uint64_t seed = 88172645463325252ull;
    for (uint32_t i = 0; i < kStates; i++) {
        State &s = model[i];
        for (uint32_t &f : s.follow) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            f = static_cast<uint32_t>(seed >> 20) % kStates;
        }
        s.note = i % 88;
        s.length = s.loudness = s.phrase = i & 7;
    }
    printf("melody %llu\n",
           (unsigned long long)play(model.get(), kNotes, Dice{99}));
    return 0;
}
