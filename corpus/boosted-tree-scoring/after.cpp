// Scoring of loan applications with an ensemble of boosted decision trees.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Random {
    std::uint64_t s = 0x2545F4914F6CDD1DULL;
    std::uint32_t bits() {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        return static_cast<std::uint32_t>(s >> 32);
    }
    float unit() { return static_cast<float>(bits() >> 8) * (1.0f / 16777216.0f); }
};

// A tree as a complete binary tree: the children of slot i are 2i+1 and 2i+2, and a
// leaf above the last level is repeated in all slots below it. A walk has a fixed
// number of steps, each of them a comparison whose outcome is added to the index.
class Tree {
public:
    Tree(Random &rng, int features, int max_depth)
        : depth_(max_depth), splits_((1 << max_depth) - 1), leaves_(1 << max_depth) {
        grow(rng, features, 0, 0);
    }

    // Several rows walk side by side, so that their loads overlap.
    template <int N>
    void predict(const float *rows, int features, float *sum) const {
        int at[N] = {0};
        for (int level = 0; level < depth_; ++level)
            for (int k = 0; k < N; ++k) {
                const Split &s = splits_[at[k]];
                const int right = !(rows[k * features + s.feature] < s.threshold);
                at[k] = 2 * at[k] + 1 + right;
            }
        const int first = static_cast<int>(splits_.size());
        for (int k = 0; k < N; ++k) sum[k] += leaves_[at[k] - first];
    }

private:
    struct Split {
        int feature = 0;
        float threshold = 0.0f;
    };

    void fill(int slot, float value) {
        const int first = static_cast<int>(splits_.size());
        if (slot >= first) {
            leaves_[slot - first] = value;
            return;
        }
        fill(2 * slot + 1, value);
        fill(2 * slot + 2, value);
    }

    void grow(Random &rng, int features, int depth, int slot) {
        const bool leaf = depth == depth_ || (depth > 2 && rng.unit() < 0.08f);
        if (leaf) {
            fill(slot, (rng.unit() - 0.5f) / 16.0f);
            return;
        }
        splits_[slot].feature = static_cast<int>(rng.bits() % features);
        splits_[slot].threshold = 0.25f + 0.5f * rng.unit();
        grow(rng, features, depth + 1, 2 * slot + 1);
        grow(rng, features, depth + 1, 2 * slot + 2);
    }

    int depth_;
    std::vector<Split> splits_;
    std::vector<float> leaves_;
};

int main(int argc, char **argv) {
    const int rows = argc > 1 ? std::atoi(argv[1]) : 100000;
    const int features = 28, trees = 200, depth = 6;
    Random rng;

    std::vector<Tree> ensemble;
    for (int t = 0; t < trees; ++t) ensemble.emplace_back(rng, features, depth);

    std::vector<float> table(static_cast<std::size_t>(rows) * features);
    for (float &v : table) v = rng.unit();

    std::vector<float> score(rows, 0.0f);
    constexpr int group = 8;
    int r = 0;
    for (; r + group <= rows; r += group)
        for (const Tree &t : ensemble)
            t.predict<group>(&table[static_cast<std::size_t>(r) * features], features, &score[r]);
    for (; r < rows; ++r)
        for (const Tree &t : ensemble)
            t.predict<1>(&table[static_cast<std::size_t>(r) * features], features, &score[r]);

    int bands[8] = {0};
    double total = 0.0;
    for (float s : score) {
        const double p = 1.0 / (1.0 + std::exp(-static_cast<double>(s)));
        total += p;
        ++bands[static_cast<int>(p * 8.0)];
    }
    std::printf("mean probability %.12f\n", total / rows);
    for (int b = 0; b < 8; ++b) std::printf("band %d: %d\n", b, bands[b]);
    std::printf("first %.9f last %.9f\n", score.front(), score.back());
    return 0;
}
