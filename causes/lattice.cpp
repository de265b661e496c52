// Lattice gas in a long pipe: lets three particle populations relax towards
// their local equilibrium and prints the momentum that is left.
#include <cstddef>
#include <cstdio>
#include <memory>

namespace {
constexpr std::size_t kCells = 8u << 20;
constexpr int kSteps = 130;

template <class Real> struct Populations {
    Real *rest, *right, *left;
};

template <class Real>
inline void collide(Real &f0, Real &f1, Real &f2, Real omega)
{
    Real rho = f0 + (f1 + f2), half = Real(0.5) * (f1 - f2);
    Real sixth = rho * Real(1.0 / 6);
    f0 += omega * (rho * Real(2.0 / 3) - f0);
    f1 += omega * (sixth + half - f1);
    f2 += omega * (sixth - half - f2);
}

template <class Real>
void relax(const Populations<Real> &p, std::size_t cells, Real omega)
{
    Real *__restrict f0 = p.rest, *__restrict f1 = p.right,
         *__restrict f2 = p.left;
    for (std::size_t i = 0; i < cells; i++)
        collide(f0[i], f1[i], f2[i], omega);
}
} // namespace

int main()
{
    std::unique_ptr<double[]> a(new double[kCells]), b(new double[kCells]),
        c(new double[kCells]);
    for (std::size_t i = 0; i < kCells; i++) {
        a[i] = 0.6 + 0.001 * double(i % 100);
        b[i] = 0.2 + 0.002 * double(i % 77);
        c[i] = 0.2 + 0.001 * double(i % 59);
    }
    double momentum = 0;
    for (int s = 0; s < kSteps; s++) {
        relax(Populations<double>{a.get(), b.get(), c.get()}, kCells, 0.7);
        momentum += b[std::size_t(s) * 80021 % kCells] -
                    c[std::size_t(s) * 80021 % kCells];
        b[std::size_t(s) * 70001 % kCells] += 0.1;
    }
    printf("momentum %.12f\n", momentum);
    return 0;
}
