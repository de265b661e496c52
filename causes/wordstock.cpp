// Dictionary of a translation memory: each phrase names the phrase that
// follows it, and the look-ups go through a chained table of phrases.
#include <cstdio>
#include <cstdint>
#include <vector>

struct Phrase { Phrase *next; uint64_t key; uint64_t follows; uint64_t uses; };

template <class Match>
static inline Phrase *scan(Phrase *p, Match hit)
{
    while (!hit(*p))
        p = p->next;
    return p;
}

static const uint64_t N = 6000000, B = 1 << 18;

static inline uint64_t mix(uint64_t k)
{
    k *= 0x9E3779B97F4A7C15ULL;
    k ^= k >> 29;
    return k * 0xBF58476D1CE4E5B9ULL;
}

int main()
{
    std::vector<Phrase> pool(N);
    std::vector<Phrase *> head(B, nullptr);
    for (uint64_t i = 0; i < N; i++) {
        uint64_t b = mix(i + 1) >> 46;
        pool[i].key = i + 1;
        pool[i].follows = mix(mix(i + 77)) % N + 1;
        pool[i].uses = i & 7;
        pool[i].next = head[b];
        head[b] = &pool[i];
    }
    uint64_t key = 5, total = 0;
    for (int q = 0; q < 900000; q++) {
        Phrase *p = scan(head[mix(key) >> 46], [key](const Phrase &c) { return c.key == key; });
        total += p->uses;
        key = (p->follows + total) % N + 1;
    }
    std::printf("uses %llu last %llu\n", (unsigned long long)total, (unsigned long long)key);
    return 0;
}
