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

struct State { Vec u, v; };
struct Rates { double a, b, c; };

static inline double rate_u(double u, double v, const Rates &k) {
    return k.a * u + (-k.b) * (u * v);
}

static inline double rate_v(double u, double v, const Rates &k) {
    return k.b * (u * v) + (-k.c) * v;
}

static void rk4(State &s, const Rates &rates, double h) {
    const Rates k = rates;
    const size_t n = s.u.size();
    double *__restrict pu = &s.u[0];
    double *__restrict pv = &s.v[0];
    for (size_t i = 0; i < n; i++) {
        double u = pu[i], v = pv[i];
        double u1 = rate_u(u, v, k), v1 = rate_v(u, v, k);
        double a = u + (h / 2) * u1, b = v + (h / 2) * v1;
        double u2 = rate_u(a, b, k), v2 = rate_v(a, b, k);
        a = u + (h / 2) * u2, b = v + (h / 2) * v2;
        double u3 = rate_u(a, b, k), v3 = rate_v(a, b, k);
        a = u + h * u3, b = v + h * v3;
        double u4 = rate_u(a, b, k), v4 = rate_v(a, b, k);
        pu[i] = u + (h / 6) * (u1 + 2.0 * u2 + 2.0 * u3 + u4);
        pv[i] = v + (h / 6) * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    }
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
