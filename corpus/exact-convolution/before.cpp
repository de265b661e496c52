// Exact convolution of two integer sequences: number-theoretic transforms modulo
// three primes, joined by the Chinese remainder theorem.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using u32 = std::uint32_t;
using u64 = std::uint64_t;

class Transform {
public:
    Transform(u32 prime, u32 generator) : mod_(prime), gen_(generator) {}

    u32 mul(u32 a, u32 b) const { return static_cast<u32>(static_cast<u64>(a) * b % mod_); }
    u32 add(u32 a, u32 b) const { return (a + b) % mod_; }
    u32 sub(u32 a, u32 b) const { return (a + mod_ - b) % mod_; }

    u32 power(u32 base, u32 e) const {
        u32 r = 1;
        for (; e; e >>= 1, base = mul(base, base))
            if (e & 1) r = mul(r, base);
        return r;
    }
    u32 inverse(u32 a) const { return power(a, mod_ - 2); }

    void run(std::vector<u32> &a, bool invert) const {
        const std::size_t n = a.size();
        for (std::size_t i = 1, j = 0; i < n; ++i) {
            std::size_t bit = n >> 1;
            for (; j & bit; bit >>= 1) j ^= bit;
            j ^= bit;
            if (i < j) std::swap(a[i], a[j]);
        }
        for (std::size_t len = 2; len <= n; len <<= 1) {
            u32 root = power(gen_, static_cast<u32>((mod_ - 1) / len));
            if (invert) root = inverse(root);
            for (std::size_t i = 0; i < n; i += len) {
                u32 w = 1;
                for (std::size_t j = 0; j < len / 2; ++j) {
                    const u32 u = a[i + j];
                    const u32 v = mul(a[i + j + len / 2], w);
                    a[i + j] = add(u, v);
                    a[i + j + len / 2] = sub(u, v);
                    w = mul(w, root);
                }
            }
        }
        if (invert) {
            const u32 scale = inverse(static_cast<u32>(n));
            for (u32 &x : a) x = mul(x, scale);
        }
    }

    std::vector<u32> convolve(const std::vector<u32> &x, const std::vector<u32> &y, std::size_t n) const {
        std::vector<u32> a(n, 0), b(n, 0);
        for (std::size_t i = 0; i < x.size(); ++i) a[i] = x[i] % mod_;
        for (std::size_t i = 0; i < y.size(); ++i) b[i] = y[i] % mod_;
        run(a, false);
        run(b, false);
        for (std::size_t i = 0; i < n; ++i) a[i] = mul(a[i], b[i]);
        run(a, true);
        return a;
    }

private:
    u32 mod_, gen_;
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
