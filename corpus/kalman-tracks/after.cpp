// Tracks many moving targets with one six-state Kalman filter per target.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <int R, int C>
struct Matrix {
    std::array<double, R * C> data{};

    static Matrix identity(double v = 1.0)
    {
        static_assert(R == C, "square matrices only");
        Matrix m;
        for (int i = 0; i < R; ++i)
            m(i, i) = v;
        return m;
    }

    double &operator()(int i, int j) { return data[i * C + j]; }
    double operator()(int i, int j) const { return data[i * C + j]; }

    Matrix<C, R> transposed() const
    {
        Matrix<C, R> t;
        for (int i = 0; i < R; ++i)
            for (int j = 0; j < C; ++j)
                t(j, i) = (*this)(i, j);
        return t;
    }
};

template <int R, int N, int C>
inline Matrix<R, C> operator*(const Matrix<R, N> &a, const Matrix<N, C> &b)
{
    Matrix<R, C> c;
    for (int i = 0; i < R; ++i)
        for (int k = 0; k < N; ++k) {
            const double v = a(i, k);
            for (int j = 0; j < C; ++j)
                c(i, j) += v * b(k, j);
        }
    return c;
}

template <int R, int C>
inline Matrix<R, C> operator+(const Matrix<R, C> &a, const Matrix<R, C> &b)
{
    Matrix<R, C> c;
    for (int i = 0; i < R * C; ++i)
        c.data[i] = a.data[i] + b.data[i];
    return c;
}

template <int R, int C>
inline Matrix<R, C> operator-(const Matrix<R, C> &a, const Matrix<R, C> &b)
{
    Matrix<R, C> c;
    for (int i = 0; i < R * C; ++i)
        c.data[i] = a.data[i] - b.data[i];
    return c;
}

template <int N>
inline Matrix<N, N> inverse(Matrix<N, N> a)
{
    Matrix<N, N> inv = Matrix<N, N>::identity();
    for (int k = 0; k < N; ++k) {
        const double d = 1.0 / a(k, k);
        for (int j = 0; j < N; ++j) {
            a(k, j) *= d;
            inv(k, j) *= d;
        }
        for (int i = 0; i < N; ++i) {
            if (i == k)
                continue;
            const double f = a(i, k);
            for (int j = 0; j < N; ++j) {
                a(i, j) -= f * a(k, j);
                inv(i, j) -= f * inv(k, j);
            }
        }
    }
    return inv;
}

struct Filter {
    Matrix<6, 1> x;
    Matrix<6, 6> P = Matrix<6, 6>::identity(10.0);
    Matrix<6, 6> F = Matrix<6, 6>::identity(), Q = Matrix<6, 6>::identity(1e-3);
    Matrix<3, 6> H;
    Matrix<3, 3> R = Matrix<3, 3>::identity(0.25);

    Filter()
    {
        const double dt = 0.1;
        for (int i = 0; i < 3; ++i) {
            F(i, i + 3) = dt;
            H(i, i) = 1.0;
        }
    }

    void step(const Matrix<3, 1> &z)
    {
        x = F * x;
        P = F * P * F.transposed() + Q;
        const Matrix<3, 3> S = H * P * H.transposed() + R;
        const Matrix<6, 3> K = P * H.transposed() * inverse(S);
        x = x + K * (z - H * x);
        P = (Matrix<6, 6>::identity() - K * H) * P;
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
            Matrix<3, 1> z;
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
