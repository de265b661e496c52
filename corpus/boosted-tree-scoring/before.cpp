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

struct Node {
    int feature;        // -1 for a leaf
    float threshold;
    int left, right;
    float value;
};

class Tree {
public:
    Tree(Random &rng, int features, int max_depth) { grow(rng, features, max_depth, 0); }

    float predict(const float *row) const {
        int at = 0;
        while (nodes_[at].feature >= 0) {
            const Node &n = nodes_[at];
            if (row[n.feature] < n.threshold)
                at = n.left;
            else
                at = n.right;
        }
        return nodes_[at].value;
    }

private:
    int grow(Random &rng, int features, int max_depth, int depth) {
        const int id = static_cast<int>(nodes_.size());
        nodes_.push_back(Node{-1, 0.0f, -1, -1, 0.0f});
        const bool leaf = depth == max_depth || (depth > 2 && rng.unit() < 0.08f);
        if (leaf) {
            nodes_[id].value = (rng.unit() - 0.5f) / 16.0f;
            return id;
        }
        nodes_[id].feature = static_cast<int>(rng.bits() % features);
        nodes_[id].threshold = 0.25f + 0.5f * rng.unit();
        const int l = grow(rng, features, max_depth, depth + 1);
        const int r = grow(rng, features, max_depth, depth + 1);
        nodes_[id].left = l;
        nodes_[id].right = r;
        return id;
    }

    std::vector<Node> nodes_;
};

int main(int argc, char **argv) {
    const int rows = argc > 1 ? std::atoi(argv[1]) : 100000;
    const int features = 28, trees = 200, depth = 6;
    Random rng;

    std::vector<Tree> ensemble;
    for (int t = 0; t < trees; ++t) ensemble.emplace_back(rng, features, depth);

    std::vector<float> table(static_cast<std::size_t>(rows) * features);
    for (float &v : table) v = rng.unit();

    std::vector<float> score(rows);
    for (int r = 0; r < rows; ++r) {
        float sum = 0.0f;
        for (const Tree &t : ensemble) sum += t.predict(&table[static_cast<std::size_t>(r) * features]);
        score[r] = sum;
    }

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
