// Scores a batch of loan applications with a random forest.
// The forest is fitted on a small deterministic sample (random split features,
// split at the midpoint of two drawn samples) and then applied to the batch.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

using Row = std::vector<double>;

struct Rng {
    uint64_t s;
    uint64_t next() {
        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
        return s;
    }
    double uniform() { return (next() >> 11) * (1.0 / 9007199254740992.0); }
    size_t below(size_t n) { return next() % n; }
};

struct Node {
    int feature = -1;
    double threshold = 0.0;
    double value = 0.0;
    std::unique_ptr<Node> left, right;
    bool is_leaf() const { return feature < 0; }
};

class Tree {
public:
    void fit(const std::vector<Row>& x, const std::vector<double>& y, Rng& rng, int max_depth) {
        std::vector<size_t> idx;
        for (size_t i = 0; i < x.size(); i++) idx.push_back(rng.below(x.size()));
        root_ = grow(x, y, idx, rng, max_depth);
    }
    double predict(const Row& r) const {
        const Node* n = root_.get();
        while (!n->is_leaf())
            n = r[n->feature] <= n->threshold ? n->left.get() : n->right.get();
        return n->value;
    }

private:
    static std::unique_ptr<Node> grow(const std::vector<Row>& x, const std::vector<double>& y,
                                      const std::vector<size_t>& idx, Rng& rng, int depth) {
        auto node = std::make_unique<Node>();
        double sum = 0.0;
        for (size_t i : idx) sum += y[i];
        node->value = sum / idx.size();
        if (depth == 0 || idx.size() < 4) return node;
        int f = (int)rng.below(x[0].size());
        double t = 0.5 * (x[idx[rng.below(idx.size())]][f] + x[idx[rng.below(idx.size())]][f]);
        std::vector<size_t> lo, hi;
        for (size_t i : idx) (x[i][f] <= t ? lo : hi).push_back(i);
        if (lo.empty() || hi.empty()) return node;
        node->feature = f;
        node->threshold = t;
        node->left = grow(x, y, lo, rng, depth - 1);
        node->right = grow(x, y, hi, rng, depth - 1);
        return node;
    }
    std::unique_ptr<Node> root_;
};

class Forest {
public:
    void fit(const std::vector<Row>& x, const std::vector<double>& y, int ntrees, Rng& rng) {
        for (int t = 0; t < ntrees; t++) {
            trees_.emplace_back();
            trees_.back().fit(x, y, rng, 14);
        }
    }
    std::vector<double> predict(const std::vector<Row>& x) const {
        std::vector<double> out;
        for (const Row& r : x) {
            double s = 0.0;
            for (const Tree& t : trees_) s += t.predict(r);
            out.push_back(s / trees_.size());
        }
        return out;
    }

private:
    std::vector<Tree> trees_;
};

static std::vector<Row> make_rows(size_t n, size_t nf, Rng& rng) {
    std::vector<Row> x(n, Row(nf));
    for (auto& r : x) {
        double wealth = rng.uniform();
        for (size_t f = 0; f < nf; f++) r[f] = 0.4 * wealth + rng.uniform();
    }
    return x;
}

int main() {
    const size_t nf = 24;
    Rng rng{88172645463325252ull};
    auto train = make_rows(2000, nf, rng);
    std::vector<double> y;
    for (const Row& r : train) y.push_back(r[0] + r[3] * r[5] > 1.0 - 0.2 * r[7] ? 1.0 : 0.0);
    Forest forest;
    forest.fit(train, y, 200, rng);

    auto batch = make_rows(30000, nf, rng);
    auto p = forest.predict(batch);

    double sum = 0.0;
    size_t high = 0;
    for (double v : p) { sum += v; high += v > 0.5; }
    std::printf("scored %zu mean %.12f high risk %zu\n", p.size(), sum / p.size(), high);
    for (size_t i = 0; i < p.size(); i += 4000) std::printf("application %zu: %.12f\n", i, p[i]);
    return 0;
}
