// Reaction kinetics on a line of cells, integrated with the classical Runge-Kutta method
// on a small vector class.
#include <cstddef>
#include <cstdio>
#include <vector>

class Vec {
public:
    explicit Vec(size_t n = 0, double v = 0.0) : d(n, v) {}
    size_t size() const { return d.size(); }
    double &operator[](size_t i) { return d[i]; }
    double operator[](size_t i) const { return d[i]; }

private:
    std::vector<double> d;
};

static Vec operator+(const Vec &a, const Vec &b) {
    Vec r(a.size());
    for (size_t i = 0; i < a.size(); i++) r[i] = a[i] + b[i];
    return r;
}

static Vec operator*(const Vec &a, const Vec &b) {
    Vec r(a.size());
    for (size_t i = 0; i < a.size(); i++) r[i] = a[i] * b[i];
    return r;
}

static Vec operator*(double s, const Vec &a) {
    Vec r(a.size());
    for (size_t i = 0; i < a.size(); i++) r[i] = s * a[i];
    return r;
}

struct State { Vec u, v; };
struct Rates { double a, b, c; };

static Vec rate_u(const State &s, const Rates &k) {
    return k.a * s.u + (-k.b) * (s.u * s.v);
}

static Vec rate_v(const State &s, const Rates &k) {
    return k.b * (s.u * s.v) + (-k.c) * s.v;
}

static void rk4(State &s, const Rates &k, double h) {
    Vec u1 = rate_u(s, k), v1 = rate_v(s, k);
    State s2{s.u + (h / 2) * u1, s.v + (h / 2) * v1};
    Vec u2 = rate_u(s2, k), v2 = rate_v(s2, k);
    State s3{s.u + (h / 2) * u2, s.v + (h / 2) * v2};
    Vec u3 = rate_u(s3, k), v3 = rate_v(s3, k);
    State s4{s.u + h * u3, s.v + h * v3};
    Vec u4 = rate_u(s4, k), v4 = rate_v(s4, k);
    s.u = s.u + (h / 6) * (u1 + 2.0 * u2 + 2.0 * u3 + u4);
    s.v = s.v + (h / 6) * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
}

int main() {
    const size_t n = 60000;
    const int steps = 700;
    State s{Vec(n), Vec(n)};
    for (size_t i = 0; i < n; i++) {
        s.u[i] = 1.0 + 0.5 * (double)(i % 97) / 97.0;
        s.v[i] = 0.5 + 0.25 * (double)(i % 41) / 41.0;
    }
    Rates k{1.1, 0.9, 0.8};
    for (int t = 0; t < steps; t++) rk4(s, k, 0.01);

    double su = 0, sv = 0;
    for (size_t i = 0; i < n; i++) { su += s.u[i]; sv += s.v[i]; }
    printf("sum u %.10f sum v %.10f\n", su, sv);
    for (size_t i = 0; i < n; i += n / 5) printf("%zu %.12f %.12f\n", i, s.u[i], s.v[i]);
}
