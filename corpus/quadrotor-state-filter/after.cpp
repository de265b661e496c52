// Extended Kalman filter of a planar quadrotor (position, velocity, attitude, biases)
// from simulated range/position/attitude measurements.
#include <cmath>
#include <cstdint>
#include <cstdio>

template <int R, int C>
struct Matrix {
    double a[R][C] = {};
    static Matrix identity() {
        Matrix m;
        for (int i = 0; i < R; ++i) m(i, i) = 1.0;
        return m;
    }
    double& operator()(int i, int j) { return a[i][j]; }
    double operator()(int i, int j) const { return a[i][j]; }

    template <int N>
    Matrix<R, N> operator*(const Matrix<C, N>& b) const {
        Matrix<R, N> r;
        for (int i = 0; i < R; ++i)
            for (int k = 0; k < C; ++k)
                for (int j = 0; j < N; ++j) r.a[i][j] += a[i][k] * b.a[k][j];
        return r;
    }
    Matrix operator+(const Matrix& b) const {
        Matrix r;
        for (int i = 0; i < R; ++i)
            for (int j = 0; j < C; ++j) r.a[i][j] = a[i][j] + b.a[i][j];
        return r;
    }
    Matrix operator-(const Matrix& b) const {
        Matrix r;
        for (int i = 0; i < R; ++i)
            for (int j = 0; j < C; ++j) r.a[i][j] = a[i][j] - b.a[i][j];
        return r;
    }
    Matrix<C, R> transpose() const {
        Matrix<C, R> r;
        for (int i = 0; i < R; ++i)
            for (int j = 0; j < C; ++j) r.a[j][i] = a[i][j];
        return r;
    }
};

Matrix<3, 3> inverse3(const Matrix<3, 3>& m) {
    Matrix<3, 3> r;
    double d = m(0, 0) * (m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1)) - m(0, 1) * (m(1, 0) * m(2, 2) - m(1, 2) * m(2, 0)) +
               m(0, 2) * (m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, e = (i + 2) % 3;
            r(i, j) = (m(a, c) * m(b, e) - m(a, e) * m(b, c)) / d;
        }
    return r;
}

class QuadFilter {
public:
    QuadFilter() : P_(Matrix<6, 6>::identity()) {
        const double q[6] = {1e-6, 1e-6, 1e-4, 1e-4, 1e-5, 1e-7};
        for (int i = 0; i < 6; ++i) Q_(i, i) = q[i];
        H_(0, 0) = H_(1, 1) = H_(2, 4) = 1.0;
        H_(2, 5) = 0.1;
        R_(0, 0) = R_(1, 1) = 0.04;
        R_(2, 2) = 0.0025;
    }
    void predict(double thrust, double rate, double dt) {
        double th = x_(4, 0);
        Matrix<6, 6> F = Matrix<6, 6>::identity();
        F(0, 2) = F(1, 3) = dt;
        F(2, 4) = -thrust * std::cos(th) * dt;
        F(3, 4) = -thrust * std::sin(th) * dt;
        F(4, 5) = -dt;
        Matrix<6, 1> n;
        n(0, 0) = x_(0, 0) + dt * x_(2, 0);
        n(1, 0) = x_(1, 0) + dt * x_(3, 0);
        n(2, 0) = x_(2, 0) - dt * thrust * std::sin(th);
        n(3, 0) = x_(3, 0) + dt * (thrust * std::cos(th) - 9.81);
        n(4, 0) = th + dt * (rate - x_(5, 0));
        n(5, 0) = x_(5, 0);
        x_ = n;
        P_ = F * P_ * F.transpose() + Q_;
    }
    void update(const Matrix<3, 1>& z) {
        Matrix<3, 3> S = H_ * P_ * H_.transpose() + R_;
        Matrix<6, 3> K = P_ * H_.transpose() * inverse3(S);
        x_ = x_ + K * (z - H_ * x_);
        Matrix<6, 6> I = Matrix<6, 6>::identity();
        P_ = (I - K * H_) * P_ * (I - K * H_).transpose() + K * R_ * K.transpose();
    }
    double state(int i) const { return x_(i, 0); }
    double variance(int i) const { return P_(i, i); }

private:
    Matrix<6, 1> x_;
    Matrix<6, 6> P_, Q_;
    Matrix<3, 6> H_;
    Matrix<3, 3> R_;
};

static uint64_t seed = 88172645463325252ULL;
static double gauss() {
    double s = 0.0;
    for (int i = 0; i < 6; ++i) {
        seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
        s += (seed >> 11) * (1.0 / 9007199254740992.0) - 0.5;
    }
    return s * 1.41421356;
}

int main() {
    const int steps = 240000;
    const double dt = 0.005;
    QuadFilter f;
    double x = 0, y = 0, vx = 0, vy = 0, th = 0, err = 0, sum = 0;
    for (int k = 0; k < steps; ++k) {
        double rate = -2.0 * th + 0.10 * vx + 0.05 * x + 0.3 * std::sin(0.01 * k);
        double thrust = 9.81 - 0.5 * y - 0.8 * vy;
        x += dt * vx; y += dt * vy;
        vx -= dt * thrust * std::sin(th);
        vy += dt * (thrust * std::cos(th) - 9.81);
        th += dt * rate;
        f.predict(thrust, rate + 0.02 + 0.01 * gauss(), dt);
        Matrix<3, 1> z;
        z(0, 0) = x + 0.2 * gauss();
        z(1, 0) = y + 0.2 * gauss();
        z(2, 0) = th + 0.05 * gauss();
        f.update(z);
        err += (f.state(0) - x) * (f.state(0) - x) + (f.state(1) - y) * (f.state(1) - y);
        sum += f.state(4) + f.variance(2);
    }
    std::printf("rms position error %.9f\n", std::sqrt(err / steps));
    std::printf("bias %.9f attitude %.9f\n", f.state(5), f.state(4));
    std::printf("variances %.9e %.9e %.9e\n", f.variance(0), f.variance(2), f.variance(5));
    std::printf("checksum %.9f\n", sum);
}
