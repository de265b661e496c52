// Transient groundwater head on an unstructured triangular mesh: cell-centred finite
// volumes, implicit Euler, Jacobi-preconditioned conjugate gradients.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <algorithm>
#include <numeric>
#include <vector>

struct Face { int owner, neigh; double trans; };

struct Mesh {
    std::vector<double> cx, cy, volume, perm;
    std::vector<Face> faces;
    int ncell() const { return int(volume.size()); }
};

// Stands for the mesh generator: a triangulated n x n square whose cells and faces come
// in the order in which the refinement happened to insert them.
static Mesh generateMesh(int n) {
    const int nc = 2 * n * n;
    std::vector<int> id(nc);
    std::iota(id.begin(), id.end(), 0);
    uint64_t s = 0x2545F4914F6CDD1DULL;
    auto draw = [&](uint64_t m) {
        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
        return int((s >> 11) % m);
    };
    for (int i = nc - 1; i > 0; --i) std::swap(id[i], id[draw(i + 1)]);

    Mesh m;
    m.cx.resize(nc); m.cy.resize(nc); m.volume.resize(nc); m.perm.resize(nc);
    const double h = 1.0 / n;
    std::vector<Face> raw;
    raw.reserve(3 * size_t(n) * n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            for (int u = 0; u < 2; ++u) {
                int c = id[2 * (j * n + i) + u];
                m.cx[c] = (i + (u ? 2.0 : 1.0) / 3.0) * h;
                m.cy[c] = (j + (u ? 2.0 : 1.0) / 3.0) * h;
                m.volume[c] = 0.5 * h * h;
                m.perm[c] = std::exp(1.5 * std::sin(9.0 * m.cx[c]) * std::cos(7.0 * m.cy[c]));
                if (u == 0) raw.push_back({c, id[2 * (j * n + i) + 1], 3.0});
                else {
                    if (i + 1 < n) raw.push_back({c, id[2 * (j * n + i + 1)], 1.5});
                    if (j + 1 < n) raw.push_back({c, id[2 * ((j + 1) * n + i)], 1.5});
                }
            }
    // faces are numbered when the first of their cells is visited
    std::vector<int> first(nc + 1, 0);
    for (auto& f : raw) {
        if (f.owner > f.neigh) std::swap(f.owner, f.neigh);
        double ka = m.perm[f.owner], kb = m.perm[f.neigh];
        f.trans *= 2.0 * ka * kb / (ka + kb);
        ++first[f.owner + 1];
    }
    for (int c = 0; c < nc; ++c) first[c + 1] += first[c];
    m.faces.resize(raw.size());
    for (auto& f : raw) m.faces[first[f.owner]++] = f;
    return m;
}

class FlowSolver {
public:
    FlowSolver(const Mesh& m, double dt) : mesh(m), diag(m.ncell()), store(m.ncell()) {
        for (int c = 0; c < m.ncell(); ++c) diag[c] = store[c] = m.volume[c] / dt;
        for (const Face& f : m.faces) { diag[f.owner] += f.trans; diag[f.neigh] += f.trans; }
    }

    void apply(const std::vector<double>& x, std::vector<double>& y) const {
        for (int c = 0; c < mesh.ncell(); ++c) y[c] = store[c] * x[c];
        for (const Face& f : mesh.faces) {
            double flux = f.trans * (x[f.owner] - x[f.neigh]);
            y[f.owner] += flux;
            y[f.neigh] -= flux;
        }
    }

    int step(std::vector<double>& head, const std::vector<double>& source, double tol) {
        const int n = mesh.ncell();
        std::vector<double> r(n), z(n), p(n), ap(n);
        apply(head, ap);
        double rz = 0, r0 = 0;
        for (int c = 0; c < n; ++c) {
            r[c] = store[c] * head[c] + source[c] * mesh.volume[c] - ap[c];
            p[c] = z[c] = r[c] / diag[c];
            rz += r[c] * z[c];
        }
        r0 = rz;
        int it = 0;
        while (rz > tol * tol * r0 && it < 200) {
            apply(p, ap);
            double pap = 0, next = 0;
            for (int c = 0; c < n; ++c) pap += p[c] * ap[c];
            const double alpha = rz / pap;
            for (int c = 0; c < n; ++c) {
                head[c] += alpha * p[c];
                r[c] -= alpha * ap[c];
                z[c] = r[c] / diag[c];
                next += r[c] * z[c];
            }
            const double beta = next / rz;
            for (int c = 0; c < n; ++c) p[c] = z[c] + beta * p[c];
            rz = next;
            ++it;
        }
        return it;
    }

private:
    const Mesh& mesh;
    std::vector<double> diag, store;
};

int main() {
    Mesh mesh = generateMesh(500);
    const int n = mesh.ncell();
    std::vector<double> head(n), source(n);
    for (int c = 0; c < n; ++c) {
        head[c] = 10.0 + 2.0 * mesh.cx[c] - mesh.cy[c];
        double d1 = std::hypot(mesh.cx[c] - 0.3, mesh.cy[c] - 0.4), d2 = std::hypot(mesh.cx[c] - 0.7, mesh.cy[c] - 0.6);
        source[c] = -4e4 * (d1 < 0.05) + 3e4 * (d2 < 0.06);
    }
    FlowSolver solver(mesh, 2e-6);
    for (int s = 1; s <= 4; ++s) {
        int it = solver.step(head, source, 1e-9);
        double mass = 0, mom = 0;
        for (int c = 0; c < n; ++c) { mass += head[c] * mesh.volume[c]; mom += head[c] * head[c] * mesh.cx[c] * mesh.volume[c]; }
        std::printf("step %d iterations %d mass %.10f moment %.10f range %.8f %.8f\n", s, it, mass, mom,
                    *std::min_element(head.begin(), head.end()), *std::max_element(head.begin(), head.end()));
    }
}
