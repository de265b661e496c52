// Streaming equalizer: a windowed-sinc band filter for each channel, fed sample by sample.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

constexpr double pi = 3.14159265358979323846;
constexpr double sample_rate = 48000.0;

class FirFilter {
public:
    explicit FirFilter(std::vector<float> taps) : taps_(std::move(taps)), history_(2 * taps_.size(), 0.0f) {}

    float process(float sample)
    {
        const std::size_t n = taps_.size();
        // Each sample is kept twice, n apart: the last n samples always lie in one piece, newest first.
        position_ = position_ == 0 ? n - 1 : position_ - 1;
        history_[position_] = sample;
        history_[position_ + n] = sample;
        const float *recent = &history_[position_];
        float out = 0.0f;
        for (std::size_t k = 0; k < n; k++)
            out += taps_[k] * recent[k];
        return out;
    }

private:
    std::vector<float> taps_;
    std::vector<float> history_;
    std::size_t position_ = 0;
};

static double sinc(double x)
{
    return std::fabs(x) < 1e-12 ? 1.0 : std::sin(pi * x) / (pi * x);
}

static std::vector<float> design_band(std::size_t taps, double low, double high, double gain)
{
    std::vector<float> h(taps);
    const double middle = static_cast<double>(taps - 1) / 2.0;
    for (std::size_t k = 0; k < taps; k++) {
        double t = static_cast<double>(k) - middle;
        double f1 = 2.0 * low / sample_rate, f2 = 2.0 * high / sample_rate;
        double window = 0.54 - 0.46 * std::cos(2.0 * pi * static_cast<double>(k) / static_cast<double>(taps - 1));
        h[k] = static_cast<float>(gain * window * (f2 * sinc(f2 * t) - f1 * sinc(f1 * t)));
    }
    return h;
}

class Equalizer {
public:
    Equalizer(std::size_t taps, const std::vector<double> &edges, const std::vector<double> &gains)
    {
        for (std::size_t b = 0; b + 1 < edges.size(); b++)
            bands_.emplace_back(design_band(taps, edges[b], edges[b + 1], gains[b]));
    }

    float process(float sample)
    {
        float out = 0.0f;
        for (FirFilter &band : bands_)
            out += band.process(sample);
        return out;
    }

private:
    std::vector<FirFilter> bands_;
};

class TestSignal {
public:
    float next()
    {
        seed_ = seed_ * 1664525u + 1013904223u;
        double noise = static_cast<double>(seed_ >> 8) / 8388608.0 - 1.0;
        double t = static_cast<double>(count_++) / sample_rate;
        return static_cast<float>(0.4 * std::sin(2.0 * pi * 220.0 * t) + 0.2 * std::sin(2.0 * pi * 3000.0 * t)
                                  + 0.1 * noise);
    }

private:
    std::uint32_t seed_ = 99;
    std::uint64_t count_ = 0;
};

int main()
{
    const std::vector<double> edges = {20.0, 300.0, 1200.0, 5000.0, 16000.0};
    const std::vector<double> gains = {1.4, 0.9, 1.0, 0.6};
    Equalizer left(255, edges, gains), right(201, edges, gains);
    TestSignal source;
    double energy_in = 0.0, energy_left = 0.0, energy_right = 0.0;
    float peak = 0.0f;
    for (int i = 0; i < 288000; i++) {
        float s = source.next();
        float l = left.process(s), r = right.process(s);
        energy_in += static_cast<double>(s) * s;
        energy_left += static_cast<double>(l) * l;
        energy_right += static_cast<double>(r) * r;
        peak = std::fmax(peak, std::fmax(std::fabs(l), std::fabs(r)));
        if (i % 96000 == 95999)
            std::printf("%d: %.7f %.7f\n", i, l, r);
    }
    std::printf("energy %.6f -> %.6f %.6f, peak %.6f\n", energy_in, energy_left, energy_right, peak);
    return 0;
}
