// Solves the small dense systems of a circuit simulator (one per time point), using two threads.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

class Dense {
public:
    explicit Dense(int n) : n(n), a((size_t)n * n) {}
    double &at(int i, int j) { return a[(size_t)i * n + j]; }
    int size() const { return n; }

    void solve(std::vector<double> &b) {
        for (int k = 0; k < n; k++) {
            const double pivot = 1.0 / at(k, k);
            #pragma omp parallel for num_threads(2)
            for (int i = k + 1; i < n; i++) {
                const double f = at(i, k) * pivot;
                for (int j = k + 1; j < n; j++)
                    at(i, j) -= f * at(k, j);
                b[i] -= f * b[k];
            }
        }
        for (int i = n - 1; i >= 0; i--) {
            double s = b[i];
            for (int j = i + 1; j < n; j++) s -= at(i, j) * b[j];
            b[i] = s / at(i, i);
        }
    }

private:
    int n;
    std::vector<double> a;
};

static void assemble(Dense &m, std::vector<double> &rhs, int point) {
    uint32_t s = 1000u + (uint32_t)point * 7919u;
    const int n = m.size();
    for (int i = 0; i < n; i++) {
        double row = 0;
        for (int j = 0; j < n; j++) {
            s = s * 1664525u + 1013904223u;
            m.at(i, j) = ((int)(s >> 22) - 512) / 512.0;
            row += std::fabs(m.at(i, j));
        }
        m.at(i, i) = row + 1.0;
        rhs[i] = std::sin(0.01 * point * (i + 1));
    }
}

int main() {
    const int n = 32, points = 3000;
    std::vector<double> norm(points);
    for (int p = 0; p < points; p++) {
        Dense m(n);
        std::vector<double> rhs(n);
        assemble(m, rhs, p);
        m.solve(rhs);
        double s = 0;
        for (double v : rhs) s += v * v;
        norm[p] = std::sqrt(s);
    }
    double sum = 0;
    for (double v : norm) sum += v;
    printf("sum of norms %.12e\n", sum);
    for (int p = 0; p < points; p += points / 5) printf("%d %.12e\n", p, norm[p]);
}
