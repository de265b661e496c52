// Draws photon energies from a tabulated source spectrum by inversion of its
// cumulative distribution and scores the dose behind a filter.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

struct Random {
    uint64_t s;
    double next() {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        return double(s >> 11) * 0x1.0p-53;
    }
};

class Spectrum {
public:
    Spectrum(const std::vector<double>& energy, const std::vector<double>& weight) : energy_(energy) {
        double sum = 0.0;
        for (double w : weight) {
            sum += w;
            cdf_.push_back(sum);
        }
        for (double& c : cdf_) c /= sum;
        cdf_.back() = 1.0;
    }

    /// Index of the first bin whose cumulative probability exceeds u.
    size_t bin(double u) const {
        size_t lo = 0, hi = cdf_.size() - 1;
        while (lo < hi) {
            size_t mid = (lo + hi) / 2;
            if (cdf_[mid] > u)
                hi = mid;
            else
                lo = mid + 1;
        }
        return lo;
    }

    double energy(size_t b) const { return energy_[b]; }
    size_t bins() const { return energy_.size(); }

private:
    std::vector<double> energy_, cdf_;
};

int main() {
    const int bins = 1500, photons = 20000000;
    std::vector<double> energy(bins), weight(bins), filter(bins);
    for (int b = 0; b < bins; ++b) {
        energy[b] = 5.0 + 0.1 * b;
        weight[b] = (155.0 - energy[b]) / energy[b] + (b % 211 == 60 ? 40.0 : 0.0);
        filter[b] = std::exp(-8000.0 / (energy[b] * energy[b] * energy[b]) - 0.02);
    }
    Spectrum source(energy, weight);
    Random rng{0x123456789abcdefu};
    std::vector<int> counts(bins);
    double dose = 0.0;
    for (int i = 0; i < photons; ++i) {
        size_t b = source.bin(rng.next());
        counts[b]++;
        dose += source.energy(b) * filter[b];
    }
    std::printf("dose per photon %.10f keV\n", dose / photons);
    for (int b = 10; b < bins; b += 150) std::printf("%.1f keV: %d\n", energy[b], counts[b]);
    return 0;
}
