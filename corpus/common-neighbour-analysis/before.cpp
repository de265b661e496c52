// Common neighbour analysis (Honeycutt-Andersen) of a crystal with a melted slab
// and a stacking fault: classifies every atom as fcc, hcp or disordered.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <utility>
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
    NeighbourTable(const std::vector<Vec3>& atoms, const Box& box, double rc) : sets_(atoms.size()) {
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
        for (size_t i = 0; i < atoms.size(); ++i) {
            int a, b, c; cellOf(atoms[i], a, b, c);
            for (int dc = -1; dc <= 1; ++dc)
                for (int db = -1; db <= 1; ++db)
                    for (int da = -1; da <= 1; ++da) {
                        size_t cell = (size_t((c + dc + cz) % cz) * cy + (b + db + cy) % cy) * cx + (a + da + cx) % cx;
                        for (int j : cells[cell])
                            if (size_t(j) != i && box.dist2(atoms[i], atoms[j]) < rc * rc) sets_[i].insert(j);
                    }
        }
    }
    const std::set<int>& of(int i) const { return sets_[i]; }
    bool bonded(int i, int j) const { return sets_[i].count(j) > 0; }
    size_t size() const { return sets_.size(); }
private:
    std::vector<std::set<int>> sets_;
};

struct Signature {
    int common, bonds, chain;
    bool operator<(const Signature& o) const {
        if (common != o.common) return common < o.common;
        if (bonds != o.bonds) return bonds < o.bonds;
        return chain < o.chain;
    }
};

static int chainFrom(int atom, std::set<std::pair<int, int>> bonds) {
    int best = 0;
    for (const auto& b : bonds) {
        if (b.first != atom && b.second != atom) continue;
        std::set<std::pair<int, int>> rest = bonds;
        rest.erase(b);
        best = std::max(best, 1 + chainFrom(b.first == atom ? b.second : b.first, rest));
    }
    return best;
}

static Signature classifyPair(const NeighbourTable& nb, int i, int j) {
    std::set<int> common;
    for (int k : nb.of(i))
        if (nb.bonded(j, k)) common.insert(k);
    std::set<std::pair<int, int>> bonds;
    for (int a : common)
        for (int b : common)
            if (a < b && nb.bonded(a, b)) bonds.insert({a, b});
    int longest = 0;
    for (int a : common) longest = std::max(longest, chainFrom(a, bonds));
    return {int(common.size()), int(bonds.size()), longest};
}

int main() {
    Box box;
    std::vector<Vec3> atoms = makeCrystal(42, 24, 45, box);
    NeighbourTable nb(atoms, box, 1.2071);
    std::map<Signature, long> census;
    long fcc = 0, hcp = 0, other = 0;
    for (size_t i = 0; i < nb.size(); ++i) {
        int n421 = 0, n422 = 0;
        for (int j : nb.of(int(i))) {
            Signature s = classifyPair(nb, int(i), j);
            ++census[s];
            if (s.common == 4 && s.bonds == 2) { if (s.chain == 1) ++n421; else ++n422; }
        }
        if (nb.of(int(i)).size() == 12 && n421 == 12) ++fcc;
        else if (nb.of(int(i)).size() == 12 && n421 == 6 && n422 == 6) ++hcp;
        else ++other;
    }
    std::printf("atoms %zu fcc %ld hcp %ld other %ld\n", atoms.size(), fcc, hcp, other);
    for (const auto& c : census)
        std::printf("%d-%d-%d %ld\n", c.first.common, c.first.bonds, c.first.chain, c.second);
}
