// Electrostatic particle-in-cell plasma in two dimensions: charge deposition, a field from a few
// relaxation sweeps, and the particle push; threads share the particles.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Particles {
    std::vector<float> x, y, vx, vy;
};

struct Grid {
    int n;
    std::vector<double> rho, phi, ex, ey;
    explicit Grid(int size) : n(size), rho(size * size), phi(size * size), ex(size * size), ey(size * size) {}
    int wrap(int i) const { return i & (n - 1); }
};

static void deposit(const Particles &p, Grid &g, double charge)
{
    const long count = static_cast<long>(p.x.size());
    for (double &r : g.rho)
        r = 1.0;
    double *rho = g.rho.data();
    const int cells = g.n * g.n;
    // every thread adds into its own copy of the grid; the copies are summed at the end
#pragma omp parallel for schedule(static) reduction(+ : rho[:cells])
    for (long k = 0; k < count; ++k) {
        const int i = static_cast<int>(p.x[k]), j = static_cast<int>(p.y[k]);
        const double fx = p.x[k] - i, fy = p.y[k] - j;
        const int i1 = g.wrap(i + 1), j1 = g.wrap(j + 1);
        rho[j * g.n + i] -= charge * (1.0 - fx) * (1.0 - fy);
        rho[j * g.n + i1] -= charge * fx * (1.0 - fy);
        rho[j1 * g.n + i] -= charge * (1.0 - fx) * fy;
        rho[j1 * g.n + i1] -= charge * fx * fy;
    }
}

static void field(Grid &g)
{
    const int n = g.n;
    std::vector<double> next(g.phi.size());
    for (int sweep = 0; sweep < 8; ++sweep) {
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                const double around = g.phi[j * n + g.wrap(i - 1)] + g.phi[j * n + g.wrap(i + 1)]
                                    + g.phi[g.wrap(j - 1) * n + i] + g.phi[g.wrap(j + 1) * n + i];
                next[j * n + i] = 0.25 * (around + g.rho[j * n + i]);
            }
        g.phi.swap(next);
    }
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            g.ex[j * n + i] = 0.5 * (g.phi[j * n + g.wrap(i - 1)] - g.phi[j * n + g.wrap(i + 1)]);
            g.ey[j * n + i] = 0.5 * (g.phi[g.wrap(j - 1) * n + i] - g.phi[g.wrap(j + 1) * n + i]);
        }
}

static float inside(float v, float n)
{
    if (v < 0.0f)
        v += n;
    if (v >= n)
        v -= n;
    return v;
}

static void push(Particles &p, const Grid &g, float dt)
{
    const long count = static_cast<long>(p.x.size());
    const float n = static_cast<float>(g.n);
#pragma omp parallel for schedule(static)
    for (long k = 0; k < count; ++k) {
        const int cell = static_cast<int>(p.y[k]) * g.n + static_cast<int>(p.x[k]);
        p.vx[k] -= dt * static_cast<float>(g.ex[cell]);
        p.vy[k] -= dt * static_cast<float>(g.ey[cell]);
        p.x[k] = inside(p.x[k] + dt * p.vx[k], n);
        p.y[k] = inside(p.y[k] + dt * p.vy[k], n);
    }
}

int main(int argc, char **argv)
{
    const int n = 128, steps = argc > 1 ? std::atoi(argv[1]) : 45;
    const long count = 800000;
    Grid g(n);
    Particles p;
    uint32_t s = 2463534242u;
    auto uniform = [&s] {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        return (s >> 8) / 16777216.0f;
    };
    for (long k = 0; k < count; ++k) {
        p.x.push_back(uniform() * n);
        p.y.push_back(uniform() * n);
        p.vx.push_back((k % 2 ? 0.5f : -0.5f) + 0.1f * (uniform() - 0.5f));
        p.vy.push_back(0.1f * (uniform() - 0.5f));
    }
    for (int t = 0; t < steps; ++t) {
        deposit(p, g, static_cast<double>(n) * n / count);
        field(g);
        push(p, g, 0.1f);
    }
    double kinetic = 0.0, electric = 0.0, rho2 = 0.0;
    for (long k = 0; k < count; ++k)
        kinetic += 0.5 * (p.vx[k] * p.vx[k] + p.vy[k] * p.vy[k]);
    for (int c = 0; c < n * n; ++c) {
        electric += 0.5 * (g.ex[c] * g.ex[c] + g.ey[c] * g.ey[c]);
        rho2 += g.rho[c] * g.rho[c];
    }
    std::printf("kinetic %.8e\nelectric %.8e\nrho rms %.8e\n", kinetic, electric, std::sqrt(rho2 / (n * n)));
    std::printf("particle 4242: %.5f %.5f\n", p.x[4242], p.y[4242]);
    return 0;
}
