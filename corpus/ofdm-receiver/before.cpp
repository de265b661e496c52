// OFDM receiver: removes a carrier offset, transforms every symbol with an FFT, equalises and slices QPSK.
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using Sample = std::complex<double>;
using Signal = std::vector<Sample>;

class Fft {
public:
    explicit Fft(int size) : n(size), reversed(size)
    {
        int bits = 0;
        while ((1 << bits) < n)
            ++bits;
        for (int i = 0; i < n; ++i) {
            int r = 0;
            for (int b = 0; b < bits; ++b)
                r |= ((i >> b) & 1) << (bits - 1 - b);
            reversed[i] = r;
        }
        for (int len = 2; len <= n; len *= 2) {
            Signal stage(len / 2);
            for (int k = 0; k < len / 2; ++k)
                stage[k] = std::polar(1.0, -2.0 * M_PI * k / len);
            twiddles.push_back(stage);
        }
    }

    void transform(Signal &a) const
    {
        for (int i = 0; i < n; ++i)
            if (i < reversed[i])
                std::swap(a[i], a[reversed[i]]);
        int stage = 0;
        for (int len = 2; len <= n; len *= 2, ++stage) {
            const Signal &w = twiddles[stage];
            const int half = len / 2;
            for (int base = 0; base < n; base += len)
                for (int k = 0; k < half; ++k) {
                    const Sample t = w[k] * a[base + k + half];
                    const Sample u = a[base + k];
                    a[base + k] = u + t;
                    a[base + k + half] = u - t;
                }
        }
    }

    const int n;

private:
    std::vector<int> reversed;
    std::vector<Signal> twiddles;
};

static uint32_t rng_state = 99u;
static uint32_t random_bits()
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 17;
    rng_state ^= rng_state << 5;
    return rng_state;
}

int main(int argc, char **argv)
{
    const int n = 2048, symbols = argc > 1 ? std::atoi(argv[1]) : 8000;
    const Fft fft(n);

    // a stretch of received samples, used for one symbol after the other with a moving start
    Signal air(4 * n);
    for (Sample &s : air)
        s = {(random_bits() >> 8) / 16777216.0 - 0.5, (random_bits() >> 8) / 16777216.0 - 0.5};
    Signal rotator(n), equaliser(n), symbol(n);
    for (int k = 0; k < n; ++k) {
        rotator[k] = std::polar(1.0, 1e-3 * k);
        equaliser[k] = 1.0 / (Sample(1.0, 0.0) + std::polar(0.3, 0.02 * k));
    }

    long ones = 0;
    double power = 0.0, error = 0.0;
    for (int s = 0; s < symbols; ++s) {
        const int offset = (s * 37) % (3 * n);
        for (int k = 0; k < n; ++k)
            symbol[k] = air[offset + k] * rotator[k];
        fft.transform(symbol);
        for (int k = 0; k < n; ++k) {
            const Sample v = symbol[k] * equaliser[k];
            const Sample ideal(v.real() > 0.0 ? 1.0 : -1.0, v.imag() > 0.0 ? 1.0 : -1.0);
            ones += (v.real() > 0.0) + (v.imag() > 0.0);
            power += std::norm(v);
            error += std::norm(v - ideal);
        }
    }
    std::printf("symbols %d bits set %ld\n", symbols, ones);
    std::printf("mean power %.10e\nmean error %.10e\n", power / symbols / n, error / symbols / n);
    std::printf("last symbol: %.10e %.10e\n", symbol[5].real(), symbol[n - 1].imag());
    return 0;
}
