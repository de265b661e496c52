// Extended Kalman filter of a planar quadrotor (position, velocity, attitude, biases)
// from simulated range/position/attitude measurements.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>

class Matrix {
public:
    Matrix(int rows, int cols) : rows_(rows), cols_(cols), a_(rows, std::vector<double>(cols, 0.0)) {}
    static Matrix identity(int n) {
        Matrix m(n, n);
        for (int i = 0; i < n; ++i) m(i, i) = 1.0;
        return m;
    }
    int rows() const { return rows_; }
    int cols() const { return cols_; }
    double& operator()(int i, int j) { return a_[i][j]; }
    double operator()(int i, int j) const { return a_[i][j]; }

    Matrix operator*(const Matrix& b) const {
        if (cols_ != b.rows_) throw std::invalid_argument("shape");
        Matrix r(rows_, b.cols_);
        for (int i = 0; i < rows_; ++i)
            for (int j = 0; j < b.cols_; ++j) {
                double s = 0.0;
                for (int k = 0; k < cols_; ++k) s += a_[i][k] * b.a_[k][j];
                r.a_[i][j] = s;
            }
        return r;
    }
    Matrix operator+(const Matrix& b) const {
        Matrix r(rows_, cols_);
        for (int i = 0; i < rows_; ++i)
            for (int j = 0; j < cols_; ++j) r.a_[i][j] = a_[i][j] + b.a_[i][j];
        return r;
    }
    Matrix operator-(const Matrix& b) const {
        Matrix r(rows_, cols_);
        for (int i = 0; i < rows_; ++i)
            for (int j = 0; j < cols_; ++j) r.a_[i][j] = a_[i][j] - b.a_[i][j];
        return r;
    }
    Matrix transpose() const {
        Matrix r(cols_, rows_);
        for (int i = 0; i < rows_; ++i)
            for (int j = 0; j < cols_; ++j) r.a_[j][i] = a_[i][j];
        return r;
    }

private:
    int rows_, cols_;
    std::vector<std::vector<double>> a_;
};

Matrix inverse3(const Matrix& m) {
    Matrix r(3, 3);
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
    QuadFilter() : x_(6, 1), P_(Matrix::identity(6)), Q_(6, 6), H_(3, 6), R_(3, 3) {
        const double q[6] = {1e-6, 1e-6, 1e-4, 1e-4, 1e-5, 1e-7};
        for (int i = 0; i < 6; ++i) Q_(i, i) = q[i];
        H_(0, 0) = H_(1, 1) = H_(2, 4) = 1.0;
        H_(2, 5) = 0.1;
        R_(0, 0) = R_(1, 1) = 0.04;
        R_(2, 2) = 0.0025;
    }
    void predict(double thrust, double rate, double dt) {
        double th = x_(4, 0);
        Matrix F = Matrix::identity(6);
        F(0, 2) = F(1, 3) = dt;
        F(2, 4) = -thrust * std::cos(th) * dt;
        F(3, 4) = -thrust * std::sin(th) * dt;
        F(4, 5) = -dt;
        Matrix n(6, 1);
        n(0, 0) = x_(0, 0) + dt * x_(2, 0);
        n(1, 0) = x_(1, 0) + dt * x_(3, 0);
        n(2, 0) = x_(2, 0) - dt * thrust * std::sin(th);
        n(3, 0) = x_(3, 0) + dt * (thrust * std::cos(th) - 9.81);
        n(4, 0) = th + dt * (rate - x_(5, 0));
        n(5, 0) = x_(5, 0);
        x_ = n;
        P_ = F * P_ * F.transpose() + Q_;
    }
    void update(const Matrix& z) {
        Matrix S = H_ * P_ * H_.transpose() + R_;
        Matrix K = P_ * H_.transpose() * inverse3(S);
        x_ = x_ + K * (z - H_ * x_);
        Matrix I = Matrix::identity(6);
        P_ = (I - K * H_) * P_ * (I - K * H_).transpose() + K * R_ * K.transpose();
    }
    double state(int i) const { return x_(i, 0); }
    double variance(int i) const { return P_(i, i); }

private:
    Matrix x_, P_, Q_, H_, R_;
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
        Matrix z(3, 1);
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
