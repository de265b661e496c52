// Tracks many moving targets with one six-state Kalman filter per target.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

class Matrix {
public:
    Matrix(int rows = 0, int cols = 0) : rows_(rows), cols_(cols), data_(rows * cols, 0.0) {}

    static Matrix identity(int n, double v = 1.0)
    {
        Matrix m(n, n);
        for (int i = 0; i < n; ++i)
            m(i, i) = v;
        return m;
    }

    double &operator()(int i, int j) { return data_[i * cols_ + j]; }
    double operator()(int i, int j) const { return data_[i * cols_ + j]; }
    int rows() const { return rows_; }
    int cols() const { return cols_; }

    Matrix transposed() const
    {
        Matrix t(cols_, rows_);
        for (int i = 0; i < rows_; ++i)
            for (int j = 0; j < cols_; ++j)
                t(j, i) = (*this)(i, j);
        return t;
    }

private:
    int rows_, cols_;
    std::vector<double> data_;
};

Matrix operator*(const Matrix &a, const Matrix &b)
{
    Matrix c(a.rows(), b.cols());
    for (int i = 0; i < a.rows(); ++i)
        for (int j = 0; j < b.cols(); ++j) {
            double s = 0.0;
            for (int k = 0; k < a.cols(); ++k)
                s += a(i, k) * b(k, j);
            c(i, j) = s;
        }
    return c;
}

Matrix operator+(const Matrix &a, const Matrix &b)
{
    Matrix c(a.rows(), a.cols());
    for (int i = 0; i < a.rows(); ++i)
        for (int j = 0; j < a.cols(); ++j)
            c(i, j) = a(i, j) + b(i, j);
    return c;
}

Matrix operator-(const Matrix &a, const Matrix &b)
{
    Matrix c(a.rows(), a.cols());
    for (int i = 0; i < a.rows(); ++i)
        for (int j = 0; j < a.cols(); ++j)
            c(i, j) = a(i, j) - b(i, j);
    return c;
}

Matrix inverse(Matrix a)
{
    const int n = a.rows();
    Matrix inv = Matrix::identity(n);
    for (int k = 0; k < n; ++k) {
        const double d = 1.0 / a(k, k);
        for (int j = 0; j < n; ++j) {
            a(k, j) *= d;
            inv(k, j) *= d;
        }
        for (int i = 0; i < n; ++i) {
            if (i == k)
                continue;
            const double f = a(i, k);
            for (int j = 0; j < n; ++j) {
                a(i, j) -= f * a(k, j);
                inv(i, j) -= f * inv(k, j);
            }
        }
    }
    return inv;
}

struct Filter {
    Matrix x{6, 1}, P = Matrix::identity(6, 10.0);
    Matrix F = Matrix::identity(6), H{3, 6}, Q = Matrix::identity(6, 1e-3), R = Matrix::identity(3, 0.25);

    Filter()
    {
        const double dt = 0.1;
        for (int i = 0; i < 3; ++i) {
            F(i, i + 3) = dt;
            H(i, i) = 1.0;
        }
    }

    void step(const Matrix &z)
    {
        x = F * x;
        P = F * P * F.transposed() + Q;
        const Matrix S = H * P * H.transposed() + R;
        const Matrix K = P * H.transposed() * inverse(S);
        x = x + K * (z - H * x);
        P = (Matrix::identity(6) - K * H) * P;
    }
};

static uint64_t rng_state = 88172645463325252ULL;
static double noise()
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (rng_state >> 11) * (1.0 / 9007199254740992.0) - 0.5;
}

int main(int argc, char **argv)
{
    const int targets = 200, steps = argc > 1 ? std::atoi(argv[1]) : 4500;
    std::vector<Filter> filters(targets);
    double err = 0.0;
    for (int t = 0; t < steps; ++t) {
        for (int i = 0; i < targets; ++i) {
            const double s = 0.1 * t;
            const double truth[3] = {0.3 * s + i, std::sin(0.05 * s + i), 5.0 - 0.01 * s * i};
            Matrix z(3, 1);
            for (int c = 0; c < 3; ++c)
                z(c, 0) = truth[c] + noise();
            filters[i].step(z);
            if (t > steps / 2)
                for (int c = 0; c < 3; ++c)
                    err += std::fabs(filters[i].x(c, 0) - truth[c]);
        }
    }
    double trace = 0.0, vel = 0.0;
    for (const Filter &f : filters)
        for (int c = 0; c < 6; ++c) {
            trace += f.P(c, c);
            vel += c >= 3 ? f.x(c, 0) : 0.0;
        }
    std::printf("mean error %.10f\ntrace %.10f\nvelocity sum %.10f\n", err / (targets * (steps / 2) * 3.0), trace, vel);
    std::printf("track 17 at %.10f %.10f %.10f\n", filters[17].x(0, 0), filters[17].x(1, 0), filters[17].x(2, 0));
    return 0;
}
