// Protein scorer: reads a coded sequence and goes from codon to amino acid
// to residue class to score, each step through its own table.
#include <cstdio>
#include <cstdint>

template <class T, int N> struct Table {
    T v[N];
    T operator[](unsigned i) const { return v[i]; }
};

static Table<uint8_t, 256> acid, group, bin;
static Table<uint32_t, 256> score;
static uint8_t seq[4096];

static inline uint32_t rate(uint8_t codon) { return score[bin[group[acid[codon]]]]; }

static uint32_t total(const uint8_t *s, int n)
{
    uint32_t odd = 0, even = 0, third = 0, fourth = 0;
    for (int i = 0; i < n; i += 4) {
        odd += rate(s[i]);
        even += rate(s[i + 1]);
        third += rate(s[i + 2]);
        fourth += rate(s[i + 3]);
    }
    return odd + 3 * even + 5 * third + 7 * fourth;
}

int main()
{
    uint64_t r = 31, sum = 0;
    for (int i = 0; i < 256; i++) {
        acid.v[i] = static_cast<uint8_t>(i * 77 + 1);
        group.v[i] = static_cast<uint8_t>(i * 31 + 9);
        bin.v[i] = static_cast<uint8_t>(i * 13 + 5);
        score.v[i] = static_cast<uint32_t>(i * i % 251);
    }
    for (int i = 0; i < 4096; i++) {
        r = r * 6364136223846793005ULL + 1442695040888963407ULL;
        seq[i] = static_cast<uint8_t>(r >> 56);
    }
    for (int t = 0; t < 800000; t++) {
        sum += total(seq, 4096);
        seq[t & 4095] ^= static_cast<uint8_t>(t);
    }
    std::printf("score %llu\n", static_cast<unsigned long long>(sum));
    return 0;
}
