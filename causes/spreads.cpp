// Particle beam diagnostics: the weighted first and second moments of a
// bunch, from which the beam's width and tilt are worked out.
#include <cstdio>

namespace {
constexpr int kParticles = 256, kTurns = 9000000;

template <class Real> struct Particle {
    Real x, y, z, w;
};

template <class Real> struct Moments {
    Real x{}, y{}, z{}, xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

    inline void add(const Particle<Real> &p)
    {
        Real wx = p.w * p.x, wy = p.w * p.y, wz = p.w * p.z;
        x += p.w * p.x;
        y += p.w * p.y;
        z += p.w * p.z;
        xx += wx * p.x;
        yy += wy * p.y;
        zz += wz * p.z;
        xy += wx * p.y;
        xz += wx * p.z;
        yz += wy * p.z;
    }
};

template <class Real, class Iter>
Moments<Real> measure(Iter from, Iter to)
{
    Moments<Real> m;
    for (Iter p = from; p != to; ++p)
        m.add(*p);
    return m;
}
} // namespace

int main()
{
    static Particle<double> bunch[kParticles];
    double width = 0, tilt = 0;
    for (int i = 0; i < kParticles; i++)
        bunch[i] = {0.01 * (i * 7 % 51 - 25), 0.02 * (i * 13 % 37 - 18),
                    0.03 * (i * 5 % 29 - 14), 1.0 / kParticles};
    for (int t = 0; t < kTurns; t++) {
        Moments<double> m = measure<double>(bunch, bunch + kParticles);
        width += m.xx + m.yy + m.zz - m.x * m.x - m.y * m.y - m.z * m.z;
        tilt += m.xy + m.xz - m.yz;
        bunch[t % kParticles].x = -bunch[t % kParticles].x;
    }
    printf("width %.9f tilt %.9f\n", width / kTurns, tilt / kTurns);
    return 0;
}
