// Extremely randomised regression trees: grows a forest on synthetic data and
// predicts a large test set with it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

constexpr int kFeatures = 16;
constexpr int kTrees = 60;
constexpr int kDepth = 11;
constexpr int kMinSamples = 4;

using Sample = std::vector<float>;

struct Random {
    std::uint64_t state = 7;
    double operator()()
    {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(state >> 11) / 9007199254740992.0;
    }
};

static float target(const Sample &x)
{
    return std::sin(3 * x[0]) + x[1] * x[2] + (x[3] > 0.5f ? x[4] : -x[5]) + 0.3f * x[6];
}

struct Node {
    int feature = -1;
    float threshold = 0, value = 0;
    std::unique_ptr<Node> left, right;
};

class Tree {
public:
    Tree(const std::vector<Sample> &x, const std::vector<float> &y, Random &random)
    {
        std::vector<int> rows;
        for (std::size_t i = 0; i < x.size(); i++)
            rows.push_back(static_cast<int>(i));
        std::unique_ptr<Node> root = grow(x, y, rows, 0, random);
        split_.resize((std::size_t{1} << kDepth) - 1);
        leaf_.resize(std::size_t{1} << kDepth);
        flatten(*root, 0, 0);
    }

    // walks kLanes samples (rows of kFeatures values) down the tree at once
    static constexpr int kLanes = 8;
    void add(const float *x, float *sum) const
    {
        std::uint32_t at[kLanes] = {};
        for (int d = 0; d < kDepth; d++)
            for (int l = 0; l < kLanes; l++) {
                const Split s = split_[at[l]];
                at[l] = 2 * at[l] + 1 + !(x[l * kFeatures + s.feature] <= s.threshold);
            }
        for (int l = 0; l < kLanes; l++)
            sum[l] += leaf_[at[l] - split_.size()];
    }

private:
    struct Split {
        std::int32_t feature;
        float threshold;
    };

    // complete binary tree in breadth-first order; a leaf that ends early is
    // repeated down to the last level
    void flatten(const Node &node, std::size_t at, int depth)
    {
        if (depth == kDepth) {
            leaf_[at - split_.size()] = node.value;
            return;
        }
        split_[at] = node.left ? Split{node.feature, node.threshold} : Split{0, 0.0f};
        flatten(node.left ? *node.left : node, 2 * at + 1, depth + 1);
        flatten(node.left ? *node.right : node, 2 * at + 2, depth + 1);
    }

    static std::unique_ptr<Node> grow(const std::vector<Sample> &x, const std::vector<float> &y,
                                      const std::vector<int> &rows, int depth, Random &random)
    {
        auto node = std::make_unique<Node>();
        double sum = 0;
        for (int r : rows)
            sum += y[r];
        node->value = static_cast<float>(sum / rows.size());
        if (depth == kDepth || rows.size() < kMinSamples)
            return node;
        node->feature = static_cast<int>(random() * kFeatures);
        float low = x[rows[0]][node->feature], high = low;
        for (int r : rows) {
            low = std::min(low, x[r][node->feature]);
            high = std::max(high, x[r][node->feature]);
        }
        node->threshold = low + static_cast<float>(0.3 + 0.4 * random()) * (high - low);
        std::vector<int> a, b;
        for (int r : rows)
            (x[r][node->feature] <= node->threshold ? a : b).push_back(r);
        if (a.empty() || b.empty())
            return node;
        node->left = grow(x, y, a, depth + 1, random);
        node->right = grow(x, y, b, depth + 1, random);
        return node;
    }

    std::vector<Split> split_;
    std::vector<float> leaf_;
};

static std::vector<Sample> make_samples(int n, Random &random)
{
    std::vector<Sample> x(static_cast<std::size_t>(n), Sample(kFeatures));
    for (auto &s : x)
        for (auto &v : s)
            v = static_cast<float>(random());
    return x;
}

int main()
{
    Random random;
    std::vector<Sample> train = make_samples(4000, random), test = make_samples(90000, random);
    std::vector<float> y;
    for (const auto &s : train)
        y.push_back(target(s));
    std::vector<Tree> forest;
    for (int t = 0; t < kTrees; t++)
        forest.emplace_back(train, y, random);

    std::vector<float> prediction;
    std::vector<float> block(Tree::kLanes * kFeatures);
    for (std::size_t first = 0; first < test.size(); first += Tree::kLanes) {
        std::size_t n = std::min<std::size_t>(Tree::kLanes, test.size() - first);
        for (std::size_t l = 0; l < n; l++)
            std::copy(test[first + l].begin(), test[first + l].end(), block.begin() + l * kFeatures);
        float sum[Tree::kLanes] = {};
        for (const auto &tree : forest)
            tree.add(block.data(), sum);
        for (std::size_t l = 0; l < n; l++)
            prediction.push_back(sum[l] / kTrees);
    }

    double error = 0, mean = 0;
    for (std::size_t i = 0; i < test.size(); i++) {
        error += std::pow(prediction[i] - target(test[i]), 2);
        mean += prediction[i];
    }
    std::printf("mean %.6f rmse %.6f\n", mean / test.size(), std::sqrt(error / test.size()));
    for (std::size_t i = 0; i < test.size(); i += 20000)
        std::printf("prediction[%zu] = %.6f\n", i, prediction[i]);
    return 0;
}
