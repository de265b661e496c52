// Offline renderer for a guitar effects rack: every track runs through its own
// chain of effects, the tracks are mixed to a stereo bus and metered.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

constexpr int kBlock = 512;

class Effect {
public:
    virtual ~Effect() = default;
    virtual void process(float *x, int n) = 0; // in place, n <= kBlock
};

class Gain : public Effect {
public:
    explicit Gain(float db) : g_(std::pow(10.0f, db / 20.0f)) {}
    void process(float *x, int n) override
    {
        const float g = g_;
        for (int i = 0; i < n; i++)
            x[i] = g * x[i];
    }
private:
    float g_;
};

class Clipper : public Effect {
public:
    explicit Clipper(float limit) : limit_(limit) {}
    void process(float *x, int n) override
    {
        const float limit = limit_;
        for (int i = 0; i < n; i++)
            x[i] = std::min(limit, std::max(-limit, x[i]));
    }
private:
    float limit_;
};

class Waveshaper : public Effect {
public:
    explicit Waveshaper(float amount) : a_(amount) {}
    void process(float *x, int n) override
    {
        const float a = a_;
        for (int i = 0; i < n; i++)
            x[i] = x[i] * (1.0f + a) - a * x[i] * x[i] * x[i];
    }
private:
    float a_;
};

class Echo : public Effect {
public:
    Echo(int delay, float wet) : buf_(delay, 0.0f), wet_(wet) {}
    void process(float *x, int n) override
    {
        const float wet = wet_;
        while (n > 0) {
            const int run = std::min<int>(n, int(buf_.size() - pos_));
            float *line = &buf_[pos_];
            for (int i = 0; i < run; i++) {
                const float in = x[i], old = line[i];
                line[i] = in;
                x[i] = in + wet * old;
            }
            pos_ = (pos_ + run) % buf_.size();
            x += run;
            n -= run;
        }
    }
private:
    std::vector<float> buf_;
    std::size_t pos_ = 0;
    float wet_;
};

class Blend : public Effect {
public:
    Blend(std::unique_ptr<Effect> inner, float mix) : inner_(std::move(inner)), mix_(mix) {}
    void process(float *x, int n) override
    {
        float wet[kBlock];
        std::copy(x, x + n, wet);
        inner_->process(wet, n);
        const float mix = mix_;
        for (int i = 0; i < n; i++)
            x[i] = (1.0f - mix) * x[i] + mix * wet[i];
    }
private:
    std::unique_ptr<Effect> inner_;
    float mix_;
};

class Chain : public Effect {
public:
    template <class E, class... Args> Chain &add(Args &&...args)
    {
        effects_.push_back(std::make_unique<E>(std::forward<Args>(args)...));
        return *this;
    }
    void process(float *x, int n) override
    {
        for (auto &e : effects_)
            e->process(x, n);
    }
private:
    std::vector<std::unique_ptr<Effect>> effects_;
};

struct Track {
    std::vector<float> samples;
    Chain chain;
    float left, right;
};

static std::vector<float> pluck(int length, int period, std::uint32_t seed)
{
    std::vector<float> out(length);
    for (int i = 0; i < length; i++) {
        if (i < period) {
            seed = seed * 1664525u + 1013904223u;
            out[i] = (seed >> 8) / 8388608.0f - 1.0f;
        } else {
            out[i] = 0.4985f * (out[i - period] + out[i - period + (period > 1)]);
        }
    }
    return out;
}

int main()
{
    const int rate = 48000, loop = 8 * rate, length = 180 * rate;
    std::vector<Track> tracks;
    for (int t = 0; t < 6; t++) {
        Track tr;
        tr.samples = pluck(loop, 110 + 37 * t, 77u + t);
        tr.chain.add<Gain>(6.0f + t).add<Clipper>(0.8f);
        tr.chain.add<Blend>(std::make_unique<Waveshaper>(0.45f), 0.3f + 0.1f * t);
        if (t % 2 == 0)
            tr.chain.add<Echo>(9600 + 731 * t, 0.35f);
        tr.chain.add<Waveshaper>(0.2f).add<Echo>(14411 + 97 * t, 0.25f);
        tr.chain.add<Clipper>(0.95f).add<Gain>(-3.0f);
        tr.left = 0.15f + 0.1f * t;
        tr.right = 0.75f - 0.1f * t;
        tracks.push_back(std::move(tr));
    }

    std::vector<float> left(length, 0.0f), right(length, 0.0f);
    for (auto &tr : tracks) {
        int phase = 0;
        float block[kBlock];
        for (int start = 0; start < length; start += kBlock) {
            const int n = std::min(kBlock, length - start);
            for (int done = 0; done < n;) {
                const int run = std::min(n - done, loop - phase);
                std::copy_n(&tr.samples[phase], run, block + done);
                phase = (phase + run) % loop;
                done += run;
            }
            tr.chain.process(block, n);
            for (int i = 0; i < n; i++) {
                left[start + i] += tr.left * block[i];
                right[start + i] += tr.right * block[i];
            }
        }
    }

    double energy = 0.0;
    float peak = 0.0f;
    for (int i = 0; i < length; i++) {
        energy += double(left[i]) * left[i] + double(right[i]) * right[i];
        peak = std::max({peak, std::fabs(left[i]), std::fabs(right[i])});
    }
    std::printf("samples %d tracks %zu\n", length, tracks.size());
    std::printf("energy %.9f peak %.7f\n", energy, peak);
    std::printf("left[12345] %.7f right[23456] %.7f\n", left[12345], right[23456]);
    return 0;
}
