// Common neighbour analysis (Honeycutt-Andersen) of a crystal with a melted slab
// and a stacking fault: classifies every atom as fcc, hcp or disordered.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

struct Vec3 { double x, y, z; };

struct Box {
    Vec3 len;
    double image(double d, double l) const { return d - l * std::round(d / l); }
    double dist2(const Vec3& a, const Vec3& b) const {
        double dx = image(a.x - b.x, len.x), dy = image(a.y - b.y, len.y), dz = image(a.z - b.z, len.z);
        return dx * dx + dy * dy + dz * dz;
    }
};

static uint64_t rngState = 88172645463325252ULL;
static double uniform() {
    rngState ^= rngState << 13; rngState ^= rngState >> 7; rngState ^= rngState << 17;
    return (rngState >> 11) * (1.0 / 9007199254740992.0);
}

static std::vector<Vec3> makeCrystal(int nx, int ny, int nz, Box& box) {
    const double d = 1.0, h = std::sqrt(2.0 / 3.0), s3 = std::sqrt(3.0);
    box.len = {nx * d, ny * s3 * d, nz * h};
    std::vector<Vec3> atoms;
    int shift = 0;
    for (int k = 0; k < nz; ++k) {
        bool melted = k > 3 * nz / 4;
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                for (int b = 0; b < 2; ++b) {
                    double amp = melted ? 0.30 : 0.07;
                    Vec3 p{i * d + 0.5 * b, (j + 0.5 * b) * s3 + shift / s3, k * h};
                    p.x += amp * (uniform() - 0.5); p.y += amp * (uniform() - 0.5); p.z += amp * (uniform() - 0.5);
                    p.x -= box.len.x * std::floor(p.x / box.len.x);
                    p.y -= box.len.y * std::floor(p.y / box.len.y);
                    p.z -= box.len.z * std::floor(p.z / box.len.z);
                    atoms.push_back(p);
                }
        shift = (k == nz / 3) ? (shift + 2) % 3 : (shift + 1) % 3;
    }
    return atoms;
}

class NeighbourTable {
public:
    NeighbourTable(const std::vector<Vec3>& atoms, const Box& box, double rc) : start_(atoms.size() + 1, 0) {
        int cx = int(box.len.x / rc), cy = int(box.len.y / rc), cz = int(box.len.z / rc);
        std::vector<std::vector<int>> cells(size_t(cx) * cy * cz);
        auto cellOf = [&](const Vec3& p, int& a, int& b, int& c) {
            a = std::min(cx - 1, int(p.x / box.len.x * cx));
            b = std::min(cy - 1, int(p.y / box.len.y * cy));
            c = std::min(cz - 1, int(p.z / box.len.z * cz));
        };
        for (size_t i = 0; i < atoms.size(); ++i) {
            int a, b, c; cellOf(atoms[i], a, b, c);
            cells[(size_t(c) * cy + b) * cx + a].push_back(int(i));
        }
        list_.reserve(atoms.size() * 14);
        for (size_t i = 0; i < atoms.size(); ++i) {
            int a, b, c; cellOf(atoms[i], a, b, c);
            for (int dc = -1; dc <= 1; ++dc)
                for (int db = -1; db <= 1; ++db)
                    for (int da = -1; da <= 1; ++da) {
                        size_t cell = (size_t((c + dc + cz) % cz) * cy + (b + db + cy) % cy) * cx + (a + da + cx) % cx;
                        for (int j : cells[cell])
                            if (size_t(j) != i && box.dist2(atoms[i], atoms[j]) < rc * rc) list_.push_back(j);
                    }
            start_[i + 1] = int(list_.size());
            std::sort(list_.begin() + start_[i], list_.end());
        }
    }
    const int* begin(int i) const { return list_.data() + start_[i]; }
    const int* end(int i) const { return list_.data() + start_[i + 1]; }
    int count(int i) const { return start_[i + 1] - start_[i]; }
    bool bonded(int i, int j) const {
        for (const int *p = begin(i), *e = end(i); p != e; ++p)
            if (*p == j) return true;
        return false;
    }
    size_t size() const { return start_.size() - 1; }
private:
    std::vector<int> start_, list_;
};

struct Signature {
    int common, bonds, chain;
    bool operator<(const Signature& o) const {
        if (common != o.common) return common < o.common;
        if (bonds != o.bonds) return bonds < o.bonds;
        return chain < o.chain;
    }
};

// Bonds between the common neighbours, each with a bit of its own.
struct LocalBonds {
    int a[64], b[64];
    uint64_t at[64];            // bonds that touch a common neighbour
};

static int chainFrom(const LocalBonds& lb, int atom, uint64_t left) {
    int best = 0;
    for (uint64_t m = lb.at[atom] & left; m; m &= m - 1) {
        int e = __builtin_ctzll(m);
        int next = lb.a[e] == atom ? lb.b[e] : lb.a[e];
        best = std::max(best, 1 + chainFrom(lb, next, left & ~(uint64_t(1) << e)));
    }
    return best;
}

static Signature classifyPair(const NeighbourTable& nb, int i, int j) {
    int common[64], n = 0, nbonds = 0;
    const int *p = nb.begin(i), *pe = nb.end(i), *q = nb.begin(j), *qe = nb.end(j);
    while (p != pe && q != qe) {
        if (*p == *q) { common[n++] = *p; ++p; ++q; }
        else if (*p < *q) ++p;
        else ++q;
    }
    LocalBonds lb;
    for (int x = 0; x < n; ++x) lb.at[x] = 0;
    for (int x = 0; x < n; ++x)
        for (int y = x + 1; y < n; ++y)
            if (nb.bonded(common[x], common[y])) {
                if (nbonds == 64) std::abort();
                lb.a[nbonds] = x; lb.b[nbonds] = y;
                lb.at[x] |= uint64_t(1) << nbonds;
                lb.at[y] |= uint64_t(1) << nbonds;
                ++nbonds;
            }
    uint64_t all = nbonds == 64 ? ~uint64_t(0) : (uint64_t(1) << nbonds) - 1;
    int longest = 0;
    for (int x = 0; x < n; ++x) longest = std::max(longest, chainFrom(lb, x, all));
    return {n, nbonds, longest};
}

int main() {
    Box box;
    std::vector<Vec3> atoms = makeCrystal(42, 24, 45, box);
    NeighbourTable nb(atoms, box, 1.2071);
    std::map<Signature, long> census;
    long fcc = 0, hcp = 0, other = 0;
    for (size_t i = 0; i < nb.size(); ++i) {
        int n421 = 0, n422 = 0;
        for (const int* j = nb.begin(int(i)); j != nb.end(int(i)); ++j) {
            Signature s = classifyPair(nb, int(i), *j);
            ++census[s];
            if (s.common == 4 && s.bonds == 2) { if (s.chain == 1) ++n421; else ++n422; }
        }
        if (nb.count(int(i)) == 12 && n421 == 12) ++fcc;
        else if (nb.count(int(i)) == 12 && n421 == 6 && n422 == 6) ++hcp;
        else ++other;
    }
    std::printf("atoms %zu fcc %ld hcp %ld other %ld\n", atoms.size(), fcc, hcp, other);
    for (const auto& c : census)
        std::printf("%d-%d-%d %ld\n", c.first.common, c.first.bonds, c.first.chain, c.second);
}
