// Raster calculator for satellite scenes: a band formula is built as a tree of
// operators and evaluated for every pixel of the scene.
#include <cstdio>
#include <memory>
#include <vector>

struct Scene {
    int width, height;
    std::vector<std::vector<float>> band;
};

class Node {
public:
    virtual ~Node() = default;
    virtual float eval(const Scene& s, size_t pixel) const = 0;
};
using Ptr = std::unique_ptr<Node>;

class Band : public Node {
public:
    explicit Band(int b) : b_(b) {}
    float eval(const Scene& s, size_t pixel) const override { return s.band[b_][pixel]; }

private:
    int b_;
};

class Constant : public Node {
public:
    explicit Constant(float v) : v_(v) {}
    float eval(const Scene&, size_t) const override { return v_; }

private:
    float v_;
};

class Binary : public Node {
public:
    Binary(char op, Ptr a, Ptr b) : op_(op), a_(std::move(a)), b_(std::move(b)) {}
    float eval(const Scene& s, size_t pixel) const override {
        float x = a_->eval(s, pixel), y = b_->eval(s, pixel);
        switch (op_) {
        case '+': return x + y;
        case '-': return x - y;
        case '*': return x * y;
        default: return x / y;
        }
    }

private:
    char op_;
    Ptr a_, b_;
};

Ptr band(int b) { return std::make_unique<Band>(b); }
Ptr num(float v) { return std::make_unique<Constant>(v); }
Ptr op(char o, Ptr a, Ptr b) { return std::make_unique<Binary>(o, std::move(a), std::move(b)); }

// Enhanced vegetation index: 2.5 (nir - red) / (nir + 6 red - 7.5 blue + 1)
Ptr vegetation(float gain) {
    return op('/', op('*', num(gain), op('-', band(3), band(2))),
              op('+', op('-', op('+', band(3), op('*', num(6.0f), band(2))), op('*', num(7.5f), band(0))), num(1.0f)));
}

std::vector<float> evaluate(const Node& formula, const Scene& s) {
    std::vector<float> out(size_t(s.width) * s.height);
    for (size_t i = 0; i < out.size(); ++i) out[i] = formula.eval(s, i);
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
