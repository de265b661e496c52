// Raster calculator for satellite scenes: a band formula is built as a tree of
// operators and evaluated for every pixel of the scene.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

struct Scene {
    int width, height;
    std::vector<std::vector<float>> band;
};

// Nodes work on a run of pixels per call; scratch space lives with the node.
constexpr size_t kRun = 512;

class Node {
public:
    virtual ~Node() = default;
    virtual const float* eval(const Scene& s, size_t first, size_t n) = 0;
};
using Ptr = std::unique_ptr<Node>;

class Band : public Node {
public:
    explicit Band(int b) : b_(b) {}
    const float* eval(const Scene& s, size_t first, size_t) override { return s.band[b_].data() + first; }

private:
    int b_;
};

class Constant : public Node {
public:
    explicit Constant(float v) : v_(kRun, v) {}
    const float* eval(const Scene&, size_t, size_t) override { return v_.data(); }

private:
    std::vector<float> v_;
};

class Binary : public Node {
public:
    Binary(char op, Ptr a, Ptr b) : op_(op), a_(std::move(a)), b_(std::move(b)), out_(kRun) {}
    const float* eval(const Scene& s, size_t first, size_t n) override {
        const float* x = a_->eval(s, first, n);
        const float* y = b_->eval(s, first, n);
        float* __restrict r = out_.data();
        switch (op_) {
        case '+': for (size_t i = 0; i < n; ++i) r[i] = x[i] + y[i]; break;
        case '-': for (size_t i = 0; i < n; ++i) r[i] = x[i] - y[i]; break;
        case '*': for (size_t i = 0; i < n; ++i) r[i] = x[i] * y[i]; break;
        default: for (size_t i = 0; i < n; ++i) r[i] = x[i] / y[i]; break;
        }
        return r;
    }

private:
    char op_;
    Ptr a_, b_;
    std::vector<float> out_;
};

Ptr band(int b) { return std::make_unique<Band>(b); }
Ptr num(float v) { return std::make_unique<Constant>(v); }
Ptr op(char o, Ptr a, Ptr b) { return std::make_unique<Binary>(o, std::move(a), std::move(b)); }

// Enhanced vegetation index: 2.5 (nir - red) / (nir + 6 red - 7.5 blue + 1)
Ptr vegetation(float gain) {
    return op('/', op('*', num(gain), op('-', band(3), band(2))),
              op('+', op('-', op('+', band(3), op('*', num(6.0f), band(2))), op('*', num(7.5f), band(0))), num(1.0f)));
}

std::vector<float> evaluate(Node& formula, const Scene& s) {
    std::vector<float> out(size_t(s.width) * s.height);
    for (size_t i = 0; i < out.size(); i += kRun) {
        const size_t n = std::min(kRun, out.size() - i);
        const float* r = formula.eval(s, i, n);
        std::copy(r, r + n, out.begin() + i);
    }
    return out;
}

int main() {
    Scene s{900, 700, {}};
    unsigned seed = 17;
    for (int b = 0; b < 4; ++b) {
        std::vector<float> v(size_t(s.width) * s.height);
        for (float& p : v) {
            seed = seed * 1664525u + 1013904223u;
            p = 0.02f + 0.1f * b + 0.2f * float(seed >> 8) / 16777216.0f / (b == 0 ? 4.0f : 1.0f);
        }
        s.band.push_back(std::move(v));
    }
    for (int k = 0; k < 40; ++k) {
        Ptr formula = vegetation(2.0f + 0.05f * k);
        std::vector<float> out = evaluate(*formula, s);
        double sum = 0.0;
        for (size_t i = k; i < out.size(); i += 41) sum += out[i];
        if (k % 8 == 0) std::printf("gain %.2f mean %.8f first %.6f\n", 2.0 + 0.05 * k, sum * 41 / out.size(), out[k]);
    }
    return 0;
}
