// Cone searches in a star catalogue: number, total flux and mean colour of the
// stars within a given angle of a pointing.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

struct Star {
    int64_t id;
    double ra, dec;
    double x, y, z;  // unit vector
    double pmRa, pmDec, parallax, radialVelocity;
    float mag[6];
    int32_t flags, source;
};

struct ConeResult {
    int count = 0;
    double flux = 0.0, colour = 0.0;
};

class Catalogue {
public:
    void add(const Star& s) {
        x_.push_back(s.x);
        y_.push_back(s.y);
        z_.push_back(s.z);
        stars_.push_back(s);
    }

    ConeResult cone(double x, double y, double z, double radius) const {
        const double limit = std::cos(radius);
        ConeResult r;
        const size_t n = stars_.size();
        const double *px = x_.data(), *py = y_.data(), *pz = z_.data();
        for (size_t i0 = 0; i0 < n; i0 += block) {
            const size_t m = n - i0 < block ? n - i0 : block;
            int hits = 0;
            for (size_t i = i0; i < i0 + m; ++i) hits += px[i] * x + py[i] * y + pz[i] * z >= limit;
            if (hits == 0) continue;
            for (size_t i = i0; i < i0 + m; ++i) {
                if (px[i] * x + py[i] * y + pz[i] * z >= limit) {
                    const Star& s = stars_[i];
                    ++r.count;
                    r.flux += std::pow(10.0, -0.4 * s.mag[2]);
                    r.colour += s.mag[1] - s.mag[3];
                }
            }
        }
        if (r.count > 0) r.colour /= r.count;
        return r;
    }

private:
    static constexpr size_t block = 256;
    std::vector<double> x_, y_, z_;  // what every search reads, apart from the rest
    std::vector<Star> stars_;
};

struct Random {
    uint64_t s;
    double next() {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        return double(s >> 11) * 0x1.0p-53;
    }
};

int main() {
    const int stars = 400000, queries = 500;
    const double pi = 3.14159265358979;
    Random rng{0x9E3779B97F4A7C15u};
    Catalogue cat;
    for (int i = 0; i < stars; ++i) {
        Star s{};
        s.id = i;
        s.ra = 2 * pi * rng.next();
        s.dec = std::asin(2 * rng.next() - 1);
        s.x = std::cos(s.dec) * std::cos(s.ra);
        s.y = std::cos(s.dec) * std::sin(s.ra);
        s.z = std::sin(s.dec);
        s.pmRa = rng.next() - 0.5;
        s.pmDec = rng.next() - 0.5;
        for (float& m : s.mag) m = float(8 + 12 * rng.next());
        cat.add(s);
    }
    int total = 0;
    double flux = 0.0;
    for (int q = 0; q < queries; ++q) {
        double ra = 2 * pi * rng.next(), dec = std::asin(2 * rng.next() - 1);
        ConeResult r = cat.cone(std::cos(dec) * std::cos(ra), std::cos(dec) * std::sin(ra), std::sin(dec),
                                0.02 + 0.0004 * (q % 50));
        total += r.count;
        flux += r.flux;
        if (q % 50 == 0) std::printf("query %d: %d stars, flux %.10g, colour %.8f\n", q, r.count, r.flux, r.colour);
    }
    std::printf("total %d flux %.12g\n", total, flux);
    return 0;
}
