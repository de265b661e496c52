// Rotating shallow-water equations on a doubly periodic grid, centred
// differences and a third-order Runge-Kutta (SSP) time step.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

class Field {
public:
    Field(int nx, int ny) : nx_(nx), ny_(ny), v_(static_cast<size_t>(nx) * ny) {}
    int nx() const { return nx_; }
    int ny() const { return ny_; }
    double &operator()(int i, int j) { return v_[static_cast<size_t>(j) * nx_ + i]; }
    double operator()(int i, int j) const { return v_[static_cast<size_t>(j) * nx_ + i]; }
    double &operator[](size_t k) { return v_[k]; }
    double operator[](size_t k) const { return v_[k]; }
    double *row(int j) { return v_.data() + static_cast<size_t>(j) * nx_; }
    const double *row(int j) const { return v_.data() + static_cast<size_t>(j) * nx_; }
    size_t size() const { return v_.size(); }

private:
    int nx_, ny_;
    std::vector<double> v_;
};

struct State {
    Field h, u, v;
};

const double GRAV = 9.81, CORIOLIS = 1.0e-4, DX = 5000.0, DY = 5000.0;

// One Runge-Kutta stage in one sweep:  out = a*q + b*(s + dt*tendency(s)).
// No field is formed for the products, derivatives and tendencies.
template <bool First>
void stage(const State &q, const State &s, State &out, double a, double b, double dt)
{
    const int nx = q.h.nx(), ny = q.h.ny();
    const double sx = 0.5 / DX, sy = 0.5 / DY;
    for (int j = 0; j < ny; j++) {
        const int jn = j + 1 == ny ? 0 : j + 1, js = j == 0 ? ny - 1 : j - 1;
        const double *h = s.h.row(j), *u = s.u.row(j), *v = s.v.row(j);
        const double *hn = s.h.row(jn), *un = s.u.row(jn), *vn = s.v.row(jn);
        const double *hs = s.h.row(js), *us = s.u.row(js), *vs = s.v.row(js);
        const double *qh = q.h.row(j), *qu = q.u.row(j), *qv = q.v.row(j);
        double *__restrict oh = out.h.row(j), *__restrict ou = out.u.row(j), *__restrict ov = out.v.row(j);
        auto point = [=](int i, int e, int w) {
            double dh = -(sx * (h[e] * u[e] - h[w] * u[w]) + sy * (hn[i] * vn[i] - hs[i] * vs[i]));
            double du = CORIOLIS * v[i] - (u[i] * (sx * (u[e] - u[w])) + v[i] * (sy * (un[i] - us[i])))
                        - GRAV * (sx * (h[e] - h[w]));
            double dv = -CORIOLIS * u[i] - (u[i] * (sx * (v[e] - v[w])) + v[i] * (sy * (vn[i] - vs[i])))
                        - GRAV * (sy * (hn[i] - hs[i]));
            if (First) {
                oh[i] = h[i] + dt * dh;
                ou[i] = u[i] + dt * du;
                ov[i] = v[i] + dt * dv;
            } else {
                oh[i] = a * qh[i] + b * (h[i] + dt * dh);
                ou[i] = a * qu[i] + b * (u[i] + dt * du);
                ov[i] = a * qv[i] + b * (v[i] + dt * dv);
            }
        };
        point(0, 1, nx - 1);
#pragma GCC ivdep
        for (int i = 1; i < nx - 1; i++) point(i, i + 1, i - 1);
        point(nx - 1, 0, nx - 2);
    }
}

// q is advanced in place; q1 and q2 are work space that lives as long as the run
void rk3_step(State &q, State &q1, State &q2, double dt)
{
    stage<true>(q, q, q1, 0.0, 1.0, dt);
    stage<false>(q, q1, q2, 0.75, 0.25, dt);
    stage<false>(q, q2, q1, 1.0 / 3.0, 2.0 / 3.0, dt);
    std::swap(q, q1);
}

int main()
{
    const int nx = 360, ny = 300, steps = 100;
    State q{Field(nx, ny), Field(nx, ny), Field(nx, ny)};
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            double x = 2 * M_PI * i / nx, y = 2 * M_PI * j / ny;
            q.h(i, j) = 1000.0 + 5.0 * std::exp(-8.0 * (1 - std::cos(x - 3)) - 8.0 * (1 - std::cos(y - 2)));
            q.u(i, j) = 2.0 * std::sin(y);
            q.v(i, j) = 0.5 * std::sin(2 * x);
        }
    State q1 = q, q2 = q;
    for (int n = 0; n < steps; n++)
        rk3_step(q, q1, q2, 12.0);
    double mass = 0, energy = 0;
    for (size_t k = 0; k < q.h.size(); k++) {
        mass += q.h[k];
        energy += 0.5 * q.h[k] * (q.u[k] * q.u[k] + q.v[k] * q.v[k]) + 0.5 * GRAV * q.h[k] * q.h[k];
    }
    std::printf("mass   %.12e\nenergy %.12e\n", mass, energy);
    std::printf("h u v  %.10f %.10f %.10f\n", q.h(170, 95), q.u(170, 95), q.v(170, 95));
    return 0;
}
