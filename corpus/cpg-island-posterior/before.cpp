// Posterior decoding of CpG-like segments in a synthetic genome with a
// small hidden Markov model (forward-backward).
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

static const double NEG_INF = -std::numeric_limits<double>::infinity();

struct Rng {
    uint64_t s;
    explicit Rng(uint64_t seed) : s(seed) {}
    uint32_t next() {
        s = s * 6364136223846793005ULL + 1442695040888963407ULL;
        return uint32_t(s >> 33);
    }
    double uniform() { return next() / 2147483648.0; }
};

// log(exp(a) + exp(b)) without overflow
static double log_add(double a, double b) {
    if (a == NEG_INF) return b;
    if (b == NEG_INF) return a;
    if (a < b) return b + std::log1p(std::exp(a - b));
    return a + std::log1p(std::exp(b - a));
}

class Hmm {
public:
    explicit Hmm(int n) : n_(n), start_(n), trans_(n * n), emit_(n * 4) {}

    void set_start(int i, double p) { start_[i] = std::log(p); }
    void set_trans(int i, int j, double p) { trans_[i * n_ + j] = std::log(p); }
    void set_emit(int i, int c, double p) { emit_[i * 4 + c] = std::log(p); }
    int states() const { return n_; }

    // Fills post (length * states) and returns the log likelihood.
    double posterior(const std::vector<uint8_t>& seq, std::vector<double>& post) const {
        const int len = int(seq.size());
        std::vector<double> fwd(size_t(len) * n_), bwd(size_t(len) * n_);

        for (int j = 0; j < n_; ++j)
            fwd[j] = start_[j] + emit_[j * 4 + seq[0]];
        for (int t = 1; t < len; ++t) {
            const double* prev = &fwd[size_t(t - 1) * n_];
            double* cur = &fwd[size_t(t) * n_];
            for (int j = 0; j < n_; ++j) {
                double sum = NEG_INF;
                for (int i = 0; i < n_; ++i)
                    sum = log_add(sum, prev[i] + trans_[i * n_ + j]);
                cur[j] = sum + emit_[j * 4 + seq[t]];
            }
        }

        for (int i = 0; i < n_; ++i) bwd[size_t(len - 1) * n_ + i] = 0.0;
        for (int t = len - 2; t >= 0; --t) {
            const double* next = &bwd[size_t(t + 1) * n_];
            double* cur = &bwd[size_t(t) * n_];
            for (int i = 0; i < n_; ++i) {
                double sum = NEG_INF;
                for (int j = 0; j < n_; ++j)
                    sum = log_add(sum, trans_[i * n_ + j] + emit_[j * 4 + seq[t + 1]] + next[j]);
                cur[i] = sum;
            }
        }

        double total = NEG_INF;
        for (int j = 0; j < n_; ++j)
            total = log_add(total, fwd[size_t(len - 1) * n_ + j]);
        post.resize(size_t(len) * n_);
        for (size_t k = 0; k < post.size(); ++k)
            post[k] = std::exp(fwd[k] + bwd[k] - total);
        return total;
    }

private:
    int n_;
    std::vector<double> start_, trans_, emit_;
};

static std::vector<uint8_t> make_contig(Rng& rng, int len) {
    std::vector<uint8_t> seq(len);
    bool island = false;
    for (int t = 0; t < len; ++t) {
        if (rng.uniform() < (island ? 0.004 : 0.001)) island = !island;
        double u = rng.uniform();
        double gc = island ? 0.68 : 0.42;
        seq[t] = u < gc ? (u < gc / 2 ? 1 : 2) : (u < gc + (1 - gc) / 2 ? 0 : 3);
    }
    return seq;
}

int main() {
    const int n = 6;
    Hmm hmm(n);
    for (int i = 0; i < n; ++i) {
        hmm.set_start(i, 1.0 / n);
        for (int j = 0; j < n; ++j)
            hmm.set_trans(i, j, i == j ? 0.99 : 0.01 / (n - 1));
        double gc = 0.30 + 0.09 * i;
        double skew = 0.02 * (i % 3);
        hmm.set_emit(i, 0, (1 - gc) / 2);
        hmm.set_emit(i, 1, gc / 2 - skew);
        hmm.set_emit(i, 2, gc / 2 + skew);
        hmm.set_emit(i, 3, (1 - gc) / 2);
    }
    Rng rng(20240611);
    std::vector<double> post;
    double loglik = 0.0, rich = 0.0;
    std::vector<double> occupancy(n, 0.0);
    for (int c = 0; c < 140; ++c) {
        std::vector<uint8_t> seq = make_contig(rng, 4000 + 40 * c);
        double ll = hmm.posterior(seq, post);
        loglik += ll;
        for (size_t t = 0; t < seq.size(); ++t) {
            for (int j = 0; j < n; ++j) occupancy[j] += post[t * n + j];
            rich += post[t * n + n - 1] + post[t * n + n - 2];
        }
        if (c % 35 == 0) std::printf("contig %d length %zu loglik %.4f\n", c, seq.size(), ll);
    }
    std::printf("total loglik %.4f\n", loglik);
    for (int j = 0; j < n; ++j) std::printf("state %d occupancy %.2f\n", j, occupancy[j]);
    std::printf("GC rich bases %.2f\n", rich);
    return 0;
}
