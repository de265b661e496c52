// Exact convolution of two integer sequences: number-theoretic transforms modulo
// three primes, joined by the Chinese remainder theorem.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// All residues are kept in Montgomery form (x * 2^32 mod p): a product needs two
// multiplications and a shift, and no division.
class Transform {
public:
    Transform(u32 prime, u32 generator) : mod_(prime), gen_(generator) {
        neg_inv_ = 1;
        for (int i = 0; i < 5; ++i) neg_inv_ *= 2 - prime * neg_inv_;
        neg_inv_ = 0u - neg_inv_;
        const u64 r = (u64(1) << 32) % prime;
        r2_ = static_cast<u32>(r * r % prime);
    }

    u32 reduce(u64 t) const {
        const u32 m = static_cast<u32>(t) * neg_inv_;
        const u32 r = static_cast<u32>((t + static_cast<u64>(m) * mod_) >> 32);
        return shrink(r);
    }
    u32 shrink(u32 a) const { const u32 b = a - mod_; return a < b ? a : b; }
    u32 mul(u32 a, u32 b) const { return reduce(static_cast<u64>(a) * b); }
    u32 add(u32 a, u32 b) const { return shrink(a + b); }
    u32 sub(u32 a, u32 b) const { return shrink(a + mod_ - b); }
    u32 enter(u32 a) const { return mul(a % mod_, r2_); }

    u32 power(u32 base, u32 e) const {
        u32 r = enter(1);
        for (; e; e >>= 1, base = mul(base, base))
            if (e & 1) r = mul(r, base);
        return r;
    }
    u32 inverse(u32 a) const { return reduce(power(enter(a), mod_ - 2)); }

    // The roots of every stage, stage `len` at w[len / 2 ...], made once.
    std::vector<u32> roots(std::size_t n, bool invert) const {
        std::vector<u32> w(n);
        for (std::size_t half = 1; half < n; half <<= 1) {
            u32 root = power(enter(gen_), static_cast<u32>((mod_ - 1) / (2 * half)));
            if (invert) root = power(root, mod_ - 2);
            w[half] = enter(1);
            for (std::size_t j = 1; j < half; ++j) w[half + j] = mul(w[half + j - 1], root);
        }
        return w;
    }

    void run(std::vector<u32> &a, const std::vector<u32> &w) const {
        const std::size_t n = a.size();
        for (std::size_t i = 1, j = 0; i < n; ++i) {
            std::size_t bit = n >> 1;
            for (; j & bit; bit >>= 1) j ^= bit;
            j ^= bit;
            if (i < j) std::swap(a[i], a[j]);
        }
        const Transform f = *this;
        for (std::size_t half = 1; half < n; half <<= 1) {
            for (std::size_t i = 0; i < n; i += 2 * half) {
                u32 *lo = &a[i], *hi = lo + half;
                const u32 *ws = &w[half];
                for (std::size_t j = 0; j < half; ++j) {
                    const u32 u = lo[j];
                    const u32 v = f.mul(hi[j], ws[j]);
                    lo[j] = f.add(u, v);
                    hi[j] = f.sub(u, v);
                }
            }
        }
    }

    std::vector<u32> convolve(const std::vector<u32> &x, const std::vector<u32> &y, std::size_t n) const {
        std::vector<u32> a(n, 0), b(n, 0);
        for (std::size_t i = 0; i < x.size(); ++i) a[i] = enter(x[i]);
        for (std::size_t i = 0; i < y.size(); ++i) b[i] = enter(y[i]);
        const std::vector<u32> forward = roots(n, false), backward = roots(n, true);
        run(a, forward);
        run(b, forward);
        for (std::size_t i = 0; i < n; ++i) a[i] = mul(a[i], b[i]);
        run(a, backward);
        const u32 scale = inverse(static_cast<u32>(n));
        for (u32 &v : a) v = mul(v, scale);
        return a;
    }

private:
    u32 mod_, gen_, neg_inv_, r2_;
};

int main(int argc, char **argv) {
    const int logn = argc > 1 ? std::atoi(argv[1]) : 20;
    const std::size_t n = std::size_t(1) << logn;
    std::vector<u32> x(n / 2), y(n / 2);
    u64 seed = 12345;
    auto next = [&seed]() {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<u32>(seed >> 34);
    };
    for (u32 &v : x) v = next();
    for (u32 &v : y) v = next();

    const Transform t1(998244353, 3), t2(167772161, 3), t3(469762049, 3);
    const std::vector<u32> r1 = t1.convolve(x, y, n);
    const std::vector<u32> r2 = t2.convolve(x, y, n);
    const std::vector<u32> r3 = t3.convolve(x, y, n);

    const u64 p1 = 998244353, p2 = 167772161, p3 = 469762049;
    const u64 inv12 = t2.inverse(static_cast<u32>(p1 % p2));
    const u64 inv123 = t3.inverse(static_cast<u32>(p1 * p2 % p3));
    u64 hash = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const u64 k1 = (r2[i] + p2 - r1[i] % p2) % p2 * inv12 % p2;
        const u64 low = r1[i] + p1 * k1;
        const u64 k2 = (r3[i] + p3 - low % p3) % p3 * inv123 % p3;
        const unsigned __int128 value = low + static_cast<unsigned __int128>(p1 * p2) * k2;
        hash = hash * 1099511628211ULL + static_cast<u64>(value) + static_cast<u64>(value >> 64);
        if (i % (n / 4) == n / 8)
            std::printf("c[%zu] = %016llx%016llx\n", i, static_cast<unsigned long long>(value >> 64),
                        static_cast<unsigned long long>(value));
    }
    std::printf("hash %016llx\n", static_cast<unsigned long long>(hash));
    return 0;
}
