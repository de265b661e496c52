// Applies a chain of configurable corrections to the samples of a measurement campaign.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

class Correction {
public:
    virtual ~Correction() = default;
    virtual void apply(float *x, size_t n) const = 0;
};

class Offset : public Correction {
public:
    explicit Offset(float o) : o(o) {}
    void apply(float *v, size_t n) const override {
        const float k = o;
        for (size_t i = 0; i < n; i++) {
            const float x = v[i];
            v[i] = x - k;
        }
    }
private:
    float o;
};

class Scale : public Correction {
public:
    explicit Scale(float f) : f(f) {}
    void apply(float *v, size_t n) const override {
        const float k = f;
        for (size_t i = 0; i < n; i++) {
            const float x = v[i];
            v[i] = x * k;
        }
    }
private:
    float f;
};

class Clamp : public Correction {
public:
    Clamp(float lo, float hi) : lo(lo), hi(hi) {}
    void apply(float *v, size_t n) const override {
        const float l = lo, h = hi;
        for (size_t i = 0; i < n; i++) {
            const float x = v[i];
            v[i] = x < l ? l : x > h ? h : x;
        }
    }
private:
    float lo, hi;
};

class Linearity : public Correction {
public:
    Linearity(float a, float b) : a(a), b(b) {}
    void apply(float *v, size_t n) const override {
        const float p = a, q = b;
        for (size_t i = 0; i < n; i++) {
            const float x = v[i];
            v[i] = x + p * x * x + q * x * x * x;
        }
    }
private:
    float a, b;
};

class Pipeline {
public:
    void add(std::unique_ptr<Correction> c) { chain.push_back(std::move(c)); }

    void run(std::vector<float> &samples) const {
        const size_t block = 1024;
        for (size_t i = 0; i < samples.size(); i += block) {
            const size_t n = samples.size() - i < block ? samples.size() - i : block;
            for (const auto &c : chain)
                c->apply(samples.data() + i, n);
        }
    }

private:
    std::vector<std::unique_ptr<Correction>> chain;
};

int main() {
    Pipeline p;
    p.add(std::make_unique<Offset>(0.012f));
    p.add(std::make_unique<Scale>(1.75f));
    p.add(std::make_unique<Linearity>(0.02f, -0.004f));
    p.add(std::make_unique<Clamp>(-1.2f, 1.2f));
    p.add(std::make_unique<Offset>(-0.03f));
    p.add(std::make_unique<Scale>(0.5f));

    std::vector<float> samples(200000);
    uint32_t s = 17;
    double total = 0;
    for (int shot = 0; shot < 350; shot++) {
        for (float &x : samples) {
            s = s * 1664525u + 1013904223u;
            x = (float)(int)(s >> 9) * (1.0f / 4194304.0f) - 1.0f;
        }
        p.run(samples);
        double sum = 0;
        for (size_t i = 0; i < samples.size(); i += 16) sum += samples[i];
        total += sum;
        if (shot % 70 == 0) printf("shot %d sum %.9f\n", shot, sum);
    }
    printf("total %.9f\n", total);
}
