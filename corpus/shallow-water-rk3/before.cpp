// Rotating shallow-water equations on a doubly periodic grid, centred
// differences and a third-order Runge-Kutta (SSP) time step.
#include <cmath>
#include <cstddef>
#include <cstdio>
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
    size_t size() const { return v_.size(); }

private:
    int nx_, ny_;
    std::vector<double> v_;
};

Field operator+(const Field &a, const Field &b)
{
    Field r(a.nx(), a.ny());
    for (size_t k = 0; k < a.size(); k++) r[k] = a[k] + b[k];
    return r;
}

Field operator-(const Field &a, const Field &b)
{
    Field r(a.nx(), a.ny());
    for (size_t k = 0; k < a.size(); k++) r[k] = a[k] - b[k];
    return r;
}

Field operator*(const Field &a, const Field &b)
{
    Field r(a.nx(), a.ny());
    for (size_t k = 0; k < a.size(); k++) r[k] = a[k] * b[k];
    return r;
}

Field operator*(double s, const Field &a)
{
    Field r(a.nx(), a.ny());
    for (size_t k = 0; k < a.size(); k++) r[k] = s * a[k];
    return r;
}

Field ddx(const Field &f, double dx)
{
    Field r(f.nx(), f.ny());
    int nx = f.nx();
    double s = 0.5 / dx;
    for (int j = 0; j < f.ny(); j++) {
        r(0, j) = s * (f(1, j) - f(nx - 1, j));
        for (int i = 1; i < nx - 1; i++)
            r(i, j) = s * (f(i + 1, j) - f(i - 1, j));
        r(nx - 1, j) = s * (f(0, j) - f(nx - 2, j));
    }
    return r;
}

Field ddy(const Field &f, double dy)
{
    Field r(f.nx(), f.ny());
    int ny = f.ny();
    double s = 0.5 / dy;
    for (int j = 0; j < ny; j++) {
        int jn = (j + 1) % ny, js = (j + ny - 1) % ny;
        for (int i = 0; i < f.nx(); i++)
            r(i, j) = s * (f(i, jn) - f(i, js));
    }
    return r;
}

struct State {
    Field h, u, v;
};

State operator+(const State &a, const State &b) { return {a.h + b.h, a.u + b.u, a.v + b.v}; }
State operator*(double s, const State &a) { return {s * a.h, s * a.u, s * a.v}; }

const double GRAV = 9.81, CORIOLIS = 1.0e-4, DX = 5000.0, DY = 5000.0;

State tendency(const State &q)
{
    Field dh = -1.0 * (ddx(q.h * q.u, DX) + ddy(q.h * q.v, DY));
    Field du = CORIOLIS * q.v - (q.u * ddx(q.u, DX) + q.v * ddy(q.u, DY)) - GRAV * ddx(q.h, DX);
    Field dv = -CORIOLIS * q.u - (q.u * ddx(q.v, DX) + q.v * ddy(q.v, DY)) - GRAV * ddy(q.h, DY);
    return {dh, du, dv};
}

State rk3_step(const State &q, double dt)
{
    State q1 = q + dt * tendency(q);
    State q2 = 0.75 * q + 0.25 * (q1 + dt * tendency(q1));
    return (1.0 / 3.0) * q + (2.0 / 3.0) * (q2 + dt * tendency(q2));
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
    for (int n = 0; n < steps; n++)
        q = rk3_step(q, 12.0);
    double mass = 0, energy = 0;
    for (size_t k = 0; k < q.h.size(); k++) {
        mass += q.h[k];
        energy += 0.5 * q.h[k] * (q.u[k] * q.u[k] + q.v[k] * q.v[k]) + 0.5 * GRAV * q.h[k] * q.h[k];
    }
    std::printf("mass   %.12e\nenergy %.12e\n", mass, energy);
    std::printf("h u v  %.10f %.10f %.10f\n", q.h(170, 95), q.u(170, 95), q.v(170, 95));
    return 0;
}
