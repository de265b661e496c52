// Evaluates a surface given by radial basis functions on a regular grid.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

class Kernel {
public:
    virtual ~Kernel() = default;
    virtual const char *name() const = 0;
    // z[i] += weight * phi((x[i] - cx)^2 + dy2) for a whole row of points
    virtual void add_row(double *z, const double *x, int n, double cx, double dy2,
                         double weight) const = 0;
};

// Instantiated per kernel, so that phi is inlined into a loop without calls.
template <class Derived>
class RowKernel : public Kernel {
public:
    void add_row(double *__restrict z, const double *__restrict x, int n, double cx, double dy2,
                 double weight) const override
    {
        const Derived k = static_cast<const Derived &>(*this);
        for (int i = 0; i < n; i++) {
            double dx = x[i] - cx;
            z[i] += weight * k.phi(dx * dx + dy2);
        }
    }
};

class InverseQuadratic final : public RowKernel<InverseQuadratic> {
public:
    explicit InverseQuadratic(double eps) : eps2_(eps * eps) {}
    const char *name() const override { return "inverse quadratic"; }
    double phi(double r2) const { return 1.0 / (1.0 + eps2_ * r2); }

private:
    double eps2_;
};

class Bump final : public RowKernel<Bump> {
public:
    explicit Bump(double radius) : inv2_(1.0 / (radius * radius)) {}
    const char *name() const override { return "compact bump"; }
    double phi(double r2) const
    {
        double t = 1.0 - r2 * inv2_;
        return t > 0.0 ? t * t * t : 0.0;
    }

private:
    double inv2_;
};

class Rational final : public RowKernel<Rational> {
public:
    explicit Rational(double eps) : eps2_(eps * eps) {}
    const char *name() const override { return "rational quartic"; }
    double phi(double r2) const
    {
        double q = eps2_ * r2;
        return (1.0 + 0.5 * q) / (1.0 + q + q * q);
    }

private:
    double eps2_;
};

struct Centre {
    double x, y, weight;
};

class Surface {
public:
    Surface(std::vector<Centre> centres, std::unique_ptr<Kernel> kernel)
        : centres_(std::move(centres)), kernel_(std::move(kernel)) {}

    const Kernel &kernel() const { return *kernel_; }

    std::vector<double> grid(int nx, int ny) const
    {
        std::vector<double> z(static_cast<size_t>(nx) * ny, 0.0), x(nx);
        for (int i = 0; i < nx; i++)
            x[i] = i / (nx - 1.0);
        for (int j = 0; j < ny; j++) {
            double y = j / (ny - 1.0);
            for (const Centre &c : centres_) {
                double dy = y - c.y;
                kernel_->add_row(&z[static_cast<size_t>(j) * nx], x.data(), nx, c.x, dy * dy,
                                 c.weight);
            }
        }
        return z;
    }

private:
    std::vector<Centre> centres_;
    std::unique_ptr<Kernel> kernel_;
};

static std::vector<Centre> scattered(int n)
{
    std::vector<Centre> c(n);
    uint64_t s = 88172645463325252ull;
    auto uniform = [&s] {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        return (s >> 11) * 0x1.0p-53;
    };
    for (Centre &p : c) {
        p.x = uniform();
        p.y = uniform();
        p.weight = std::sin(5.0 * p.x) * std::cos(4.0 * p.y) + 0.1 * uniform();
    }
    return c;
}

int main()
{
    const int nx = 420, ny = 360, n = 900;
    std::vector<Surface> surfaces;
    surfaces.emplace_back(scattered(n), std::make_unique<InverseQuadratic>(12.0));
    surfaces.emplace_back(scattered(n), std::make_unique<Bump>(0.4));
    surfaces.emplace_back(scattered(n), std::make_unique<Rational>(9.0));

    for (const Surface &s : surfaces) {
        std::vector<double> z = s.grid(nx, ny);
        double sum = 0.0, top = z[0];
        for (double v : z) {
            sum += v;
            top = v > top ? v : top;
        }
        std::printf("%s: mean %.12e max %.12e corner %.12e centre %.12e\n", s.kernel().name(),
                    sum / z.size(), top, z[0], z[z.size() / 2 + nx / 2]);
    }
    return 0;
}
