// PROGRAM matrix=yes
//
// C++ shapes of loops: containers, templates, lambdas and iterators that must be inlined away, algorithms of the
// standard library, exceptions, virtual calls, complex numbers. Prints one checksum per kernel.

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#define KERNEL __attribute__((noinline))

namespace {

using Vector = std::vector<double>;

KERNEL void scale_index(Vector &x, double s) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= s; // LOOP name=scale_index class=fp-map
}

KERNEL void scale_range(Vector &x, double s) {
    for (double &v : x) v *= s; // LOOP name=scale_range class=fp-map
}

template <typename T> KERNEL void axpy(std::vector<T> &y, const std::vector<T> &x, T s) {
    for (std::size_t i = 0, n = y.size(); i < n; ++i) y[i] += s * x[i]; // LOOP name=axpy class=fp-map
}

template <typename T, std::size_t N> KERNEL T fixed_dot(const std::array<T, N> &x, const std::array<T, N> &y) {
    T s = 0;
    for (std::size_t i = 0; i < N; ++i) s += x[i] * y[i]; // LOOP name=fixed_dot class=reduction
    return s;
}

template <typename F> void each(Vector &x, F f) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = f(x[i]); // LOOP name=each class=fp-map
}

KERNEL void lambda_square(Vector &x) {
    each(x, [](double v) { return v * v + 0.5; });
}
KERNEL void lambda_cubic(Vector &x, double s) {
    each(x, [s](double v) { return v * v * v * s; });
}

KERNEL void transformed(Vector &to, const Vector &from) {
    std::transform(from.begin(), from.end(), to.begin(), [](double v) { return 3.0 * v - 1.0; });
}

KERNEL double accumulated(const Vector &x) { return std::accumulate(x.begin(), x.end(), 0.0); }

KERNEL std::ptrdiff_t found(const std::vector<int> &x, int value) {
    return std::find(x.begin(), x.end(), value) - x.begin();
}

KERNEL void checked(Vector &x) {
    for (std::size_t i = 0; i < x.size(); ++i) x.at(i) = x.at(i) * 0.5 + 1.0; // LOOP name=checked class=fp-map
}

KERNEL double throwing(const Vector &x) {
    double s = 0;
    for (double v : x) { // LOOP name=throwing class=search
        if (v < -1e30) throw std::runtime_error("value out of range");
        s += v;
    }
    return s;
}

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    explicit Square(double s) : side(s) {}
    double area() const override { return side * side; }
    double side;
};
struct Circle : Shape {
    explicit Circle(double r) : radius(r) {}
    double area() const override { return 3.14159265358979 * radius * radius; }
    double radius;
};

KERNEL double virtual_calls(const std::vector<std::unique_ptr<Shape>> &shapes) {
    double s = 0;
    for (const auto &shape : shapes) s += shape->area(); // LOOP name=virtual_calls class=call
    return s;
}

KERNEL void complex_products(std::vector<std::complex<double>> &x, const std::vector<std::complex<double>> &y) {
    for (std::size_t i = 0; i < x.size(); ++i) { // LOOP name=complex_products class=fp-map
        const double re = x[i].real() * y[i].real() - x[i].imag() * y[i].imag();
        const double im = x[i].real() * y[i].imag() + x[i].imag() * y[i].real();
        x[i] = {re, im};
    }
}

struct Point {
    float x, y, z;
};

KERNEL void shift_points(std::vector<Point> &points, Point by) {
    for (Point &p : points) { // LOOP name=shift_points class=fp-map
        p.x += by.x;
        p.y += by.y;
        p.z += by.z;
    }
}

KERNEL std::uint32_t hash_bytes(const std::string &text) {
    std::uint32_t h = 2166136261u;
    for (unsigned char c : text) h = (h ^ c) * 16777619u; // LOOP name=hash_bytes class=recurrence
    return h;
}

class Grid {
  public:
    Grid(int rows, int columns) : columns_(columns), cells_(static_cast<std::size_t>(rows) * columns, 1.0) {}
    double &at(int r, int c) { return cells_[static_cast<std::size_t>(r) * columns_ + c]; }
    double at(int r, int c) const { return cells_[static_cast<std::size_t>(r) * columns_ + c]; }
    double total() const { return std::accumulate(cells_.begin(), cells_.end(), 0.0); }

  private:
    int columns_;
    Vector cells_;
};

KERNEL void relax(Grid &to, const Grid &from, int rows, int columns) {
    for (int r = 1; r < rows - 1; ++r)            // LOOP name=relax_r class=nest-outer
        for (int c = 1; c < columns - 1; ++c)     // LOOP name=relax_c class=fp-map
            to.at(r, c) = 0.2 * (from.at(r, c) + from.at(r - 1, c) + from.at(r + 1, c) + from.at(r, c - 1) +
                                 from.at(r, c + 1));
}

double checksum(const Vector &x) {
    double s = 0;
    for (std::size_t i = 0; i < x.size(); ++i) s += x[i] * static_cast<double>(1 + i % 7);
    return s;
}

Vector fresh(int n) {
    Vector x(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = (i * 37 % 101) / 101.0;
    return x;
}

} // namespace

int main() {
    volatile int size = 777;
    const int n = size;
    Vector x = fresh(n), y = fresh(n);
    scale_index(x, 1.5);
    std::printf("scale_index %.9g\n", checksum(x));
    scale_range(x, 0.75);
    std::printf("scale_range %.9g\n", checksum(x));
    axpy<double>(x, y, 0.5);
    std::printf("axpy %.9g\n", checksum(x));
    std::vector<float> f(y.begin(), y.end()), g(x.begin(), x.end());
    axpy<float>(f, g, 0.5f);
    std::printf("axpy_float %.6g\n", static_cast<double>(f[n / 2]) + static_cast<double>(f[n - 1]));
    std::array<double, 64> p{}, q{};
    for (std::size_t i = 0; i < p.size(); ++i) {
        p[i] = x[i];
        q[i] = y[i];
    }
    std::printf("fixed_dot %.9g\n", fixed_dot(p, q));
    lambda_square(x);
    std::printf("lambda_square %.9g\n", checksum(x));
    lambda_cubic(x, 0.25);
    std::printf("lambda_cubic %.9g\n", checksum(x));
    transformed(x, y);
    std::printf("transformed %.9g\n", checksum(x));
    std::printf("accumulated %.9g\n", accumulated(y));
    std::vector<int> whole(static_cast<std::size_t>(n));
    std::iota(whole.begin(), whole.end(), 3);
    std::printf("found %td\n", found(whole, 400));
    checked(x);
    std::printf("checked %.9g\n", checksum(x));
    double total = throwing(y);
    try {
        y[5] = -1e31;
        total += throwing(y);
    } catch (const std::runtime_error &) {
        total += 1;
    }
    std::printf("throwing %.9g\n", total);
    y = fresh(n);
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 0; i < n; ++i) {
        if (i % 3) shapes.push_back(std::make_unique<Square>(y[static_cast<std::size_t>(i)]));
        else shapes.push_back(std::make_unique<Circle>(y[static_cast<std::size_t>(i)]));
    }
    std::printf("virtual_calls %.9g\n", virtual_calls(shapes));
    std::vector<std::complex<double>> z, w;
    for (double v : y) {
        z.emplace_back(v, 1 - v);
        w.emplace_back(0.5, v);
    }
    complex_products(z, w);
    double sum = 0;
    for (const auto &v : z) sum += v.real() + 2 * v.imag();
    std::printf("complex_products %.9g\n", sum);
    std::vector<Point> points(static_cast<std::size_t>(n), Point{1, 2, 3});
    shift_points(points, {0.5f, 0.25f, 0.125f});
    std::printf("shift_points %.6g\n", static_cast<double>(points[0].x + points[n / 2].y + points[n - 1].z));
    std::printf("hash_bytes %u\n", hash_bytes(std::string(static_cast<std::size_t>(n), 'q')));
    Grid from(40, 50), to(40, 50);
    from.at(7, 9) = 5;
    relax(to, from, size - 737, size - 727);
    std::printf("relax %.9g\n", to.total());
    return 0;
}
