// Lexicon of a language model: counts how often the words of a text occur,
// most of which are new, in a dictionary of four million entries.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {
constexpr uint32_t kWords = 4u << 20, kBuckets = 1u << 17;
constexpr int kQueries = 380000;

struct Word {
    uint64_t key;
    uint32_t next, count;
    char text[48];
};

uint64_t scramble(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

class Lexicon {
public:
    Lexicon()
        : words_(static_cast<Word *>(malloc(sizeof(Word) * (kWords + 1)))),
          heads_(static_cast<uint32_t *>(calloc(kBuckets, 4)))
    {
        for (uint32_t i = 1; i <= kWords; i++) {
            uint64_t key = scramble(i);
            uint32_t &head = heads_[key % kBuckets];
            words_[i] = Word{key, head, 0, {}};
            head = i;
        }
    }
    Lexicon(const Lexicon &) = delete;
    Lexicon &operator=(const Lexicon &) = delete;
    ~Lexicon()
    {
        free(words_);
        free(heads_);
    }
    Word *find(uint64_t key)
    {
        for (uint32_t i = heads_[key % kBuckets]; i; i = words_[i].next)
            if (words_[i].key == key)
                return &words_[i];
        return nullptr;
    }

private:
    Word *words_;
    uint32_t *heads_;
};
} // namespace

int main()
{
    Lexicon lexicon;
    uint64_t known = 0, unknown = 0;
    for (int q = 0; q < kQueries; q++) {
        uint64_t id = scramble(q * 3ull + 1) % (kWords * 8ull);
        if (Word *w = lexicon.find(scramble(id + 1)))
            known += ++w->count;
        else
            unknown++;
    }
    printf("known %llu unknown %llu\n", (unsigned long long)known,
           (unsigned long long)unknown);
    return 0;
}
