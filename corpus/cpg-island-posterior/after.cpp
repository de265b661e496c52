// Posterior decoding of CpG-like segments in a synthetic genome with a
// small hidden Markov model (forward-backward).
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Rng {
    uint64_t s;
    explicit Rng(uint64_t seed) : s(seed) {}
    uint32_t next() {
        s = s * 6364136223846793005ULL + 1442695040888963407ULL;
        return uint32_t(s >> 33);
    }
    double uniform() { return next() / 2147483648.0; }
};

class Hmm {
public:
    explicit Hmm(int n) : n_(n), start_(n), trans_(n * n), emit_(n * 4) {}

    void set_start(int i, double p) { start_[i] = p; }
    void set_trans(int i, int j, double p) { trans_[i * n_ + j] = p; }
    void set_emit(int i, int c, double p) { emit_[i * 4 + c] = p; }
    int states() const { return n_; }

    // Fills post (length * states) and returns the log likelihood.
    double posterior(const std::vector<uint8_t>& seq, std::vector<double>& post) const {
        // Works on probabilities, every column scaled to sum one; the
        // likelihood is the product of the scales.
        const int len = int(seq.size());
        std::vector<double> fwd(size_t(len) * n_), bwd(size_t(len) * n_), inv_scale(len);
        double total = 0.0;

        for (int t = 0; t < len; ++t) {
            double* cur = &fwd[size_t(t) * n_];
            if (t == 0) {
                for (int j = 0; j < n_; ++j) cur[j] = start_[j];
            } else {
                const double* prev = &fwd[size_t(t - 1) * n_];
                for (int j = 0; j < n_; ++j) cur[j] = 0.0;
                for (int i = 0; i < n_; ++i)
                    for (int j = 0; j < n_; ++j)
                        cur[j] += prev[i] * trans_[i * n_ + j];
            }
            double scale = 0.0;
            for (int j = 0; j < n_; ++j) {
                cur[j] *= emit_[j * 4 + seq[t]];
                scale += cur[j];
            }
            inv_scale[t] = 1.0 / scale;
            for (int j = 0; j < n_; ++j) cur[j] *= inv_scale[t];
            total += std::log(scale);
        }

        std::vector<double> w(n_);
        for (int i = 0; i < n_; ++i) bwd[size_t(len - 1) * n_ + i] = 1.0;
        for (int t = len - 2; t >= 0; --t) {
            const double* next = &bwd[size_t(t + 1) * n_];
            double* cur = &bwd[size_t(t) * n_];
            for (int j = 0; j < n_; ++j)
                w[j] = emit_[j * 4 + seq[t + 1]] * next[j] * inv_scale[t + 1];
            for (int i = 0; i < n_; ++i) {
                double sum = 0.0;
                for (int j = 0; j < n_; ++j) sum += trans_[i * n_ + j] * w[j];
                cur[i] = sum;
            }
        }

        post.resize(size_t(len) * n_);
        for (size_t k = 0; k < post.size(); ++k) post[k] = fwd[k] * bwd[k];
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
