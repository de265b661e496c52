// Gravitational N-body simulation of a star cluster with direct summation and leapfrog steps.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Structure of arrays: one array per component.
class Cluster {
public:
    explicit Cluster(double soft) : soft2(soft * soft) {}

    void add(double m, double px, double py, double pz, double wx, double wy, double wz)
    {
        mass.push_back(m);
        x.push_back(px);
        y.push_back(py);
        z.push_back(pz);
        vx.push_back(wx);
        vy.push_back(wy);
        vz.push_back(wz);
        ax.push_back(0.0);
        ay.push_back(0.0);
        az.push_back(0.0);
    }

    // The body itself needs no exception: its distance is zero, and so is its pull.
    void accelerate()
    {
        const int n = static_cast<int>(x.size());
        const double *px = x.data(), *py = y.data(), *pz = z.data(), *m = mass.data();
        const double e2 = soft2;
        for (int i = 0; i < n; ++i) {
            const double xi = px[i], yi = py[i], zi = pz[i];
            double sx = 0.0, sy = 0.0, sz = 0.0;
            for (int j = 0; j < n; ++j) {
                const double dx = px[j] - xi, dy = py[j] - yi, dz = pz[j] - zi;
                const double r2 = dx * dx + dy * dy + dz * dz + e2;
                const double f = m[j] / (r2 * std::sqrt(r2));
                sx += dx * f;
                sy += dy * f;
                sz += dz * f;
            }
            ax[i] = sx;
            ay[i] = sy;
            az[i] = sz;
        }
    }

    void leapfrog(double dt)
    {
        const size_t n = x.size();
        for (size_t i = 0; i < n; ++i) {
            vx[i] += ax[i] * (0.5 * dt);
            vy[i] += ay[i] * (0.5 * dt);
            vz[i] += az[i] * (0.5 * dt);
            x[i] += vx[i] * dt;
            y[i] += vy[i] * dt;
            z[i] += vz[i] * dt;
        }
        accelerate();
        for (size_t i = 0; i < n; ++i) {
            vx[i] += ax[i] * (0.5 * dt);
            vy[i] += ay[i] * (0.5 * dt);
            vz[i] += az[i] * (0.5 * dt);
        }
    }

    double energy() const
    {
        const size_t n = x.size();
        double e = 0.0;
        for (size_t i = 0; i < n; ++i) {
            double pot = 0.0;
            for (size_t j = 0; j < n; ++j) {
                const double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
                pot -= mass[j] / std::sqrt(dx * dx + dy * dy + dz * dz + soft2);
            }
            pot += mass[i] / std::sqrt(soft2);
            e += 0.5 * mass[i] * (vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i] + pot);
        }
        return e;
    }

    std::vector<double> mass, x, y, z, vx, vy, vz, ax, ay, az;

private:
    double soft2;
};

static uint64_t rng_state = 0x853C49E6748FEA9BULL;
static double uniform()
{
    rng_state = rng_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (rng_state >> 11) / 9007199254740992.0 * 2.0 - 1.0;
}

int main(int argc, char **argv)
{
    const int n = 2048, steps = argc > 1 ? std::atoi(argv[1]) : 50;
    Cluster cluster(0.05);
    for (int i = 0; i < n; ++i) {
        const double x = uniform(), y = uniform(), z = uniform();
        const double vx = 0.3 * uniform() - 0.2 * y, vy = 0.3 * uniform() + 0.2 * x, vz = 0.3 * uniform();
        cluster.add(1.0 / n, x, y, z, vx, vy, vz);
    }
    cluster.accelerate();
    std::printf("energy at start %.9f\n", cluster.energy());
    for (int t = 0; t < steps; ++t)
        cluster.leapfrog(0.002);
    std::printf("energy at end %.9f\n", cluster.energy());
    double spread = 0.0;
    for (int i = 0; i < n; ++i)
        spread += cluster.mass[i] * (cluster.x[i] * cluster.x[i] + cluster.y[i] * cluster.y[i] + cluster.z[i] * cluster.z[i]);
    std::printf("spread %.9f\nbody 7 %.9f %.9f %.9f\n", spread, cluster.x[7], cluster.y[7], cluster.z[7]);
    return 0;
}
