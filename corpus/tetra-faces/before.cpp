// Face connectivity of a tetrahedral mesh: finds for every tetrahedron its
// neighbour across each face, and the boundary faces, as a finite-volume
// solver needs them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

using Tetra = std::array<int, 4>;
using Face = std::array<int, 3>;

struct Mesh {
    int vertices = 0;
    std::vector<Tetra> cells;
};

// a box of n^3 cubes, six tetrahedra each, with shuffled numbers
static Mesh make_mesh(int n)
{
    Mesh mesh;
    mesh.vertices = (n + 1) * (n + 1) * (n + 1);
    std::vector<int> name(static_cast<std::size_t>(mesh.vertices));
    std::iota(name.begin(), name.end(), 0);
    std::uint64_t state = 17;
    auto shuffle = [&state](auto &v) {
        for (std::size_t i = v.size() - 1; i > 0; i--) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            std::swap(v[i], v[(state >> 33) % (i + 1)]);
        }
    };
    shuffle(name);
    static const int path[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                for (const auto &p : path) {
                    int c[3] = {x, y, z};
                    Tetra t;
                    for (int k = 0; k < 4; k++) {
                        t[k] = name[(static_cast<std::size_t>(c[2]) * (n + 1) + c[1]) * (n + 1) + c[0]];
                        if (k < 3)
                            c[p[k]]++;
                    }
                    mesh.cells.push_back(t);
                }
    shuffle(mesh.cells);
    return mesh;
}

static Face face_of(const Tetra &t, int k)
{
    Face f = {t[(k + 1) % 4], t[(k + 2) % 4], t[(k + 3) % 4]};
    std::sort(f.begin(), f.end());
    return f;
}

// neighbour[c][k]: the cell across the face opposite to vertex k, or -1
static std::vector<std::array<int, 4>> connect(const Mesh &mesh)
{
    std::vector<std::array<int, 4>> neighbour(mesh.cells.size(), {-1, -1, -1, -1});
    std::map<Face, std::pair<int, int>> seen;
    for (std::size_t c = 0; c < mesh.cells.size(); c++) {
        for (int k = 0; k < 4; k++) {
            Face f = face_of(mesh.cells[c], k);
            auto it = seen.find(f);
            if (it == seen.end()) {
                seen[f] = {static_cast<int>(c), k};
            } else {
                neighbour[c][k] = it->second.first;
                neighbour[it->second.first][it->second.second] = static_cast<int>(c);
                seen.erase(it);
            }
        }
    }
    return neighbour;
}

int main()
{
    Mesh mesh = make_mesh(44);
    auto neighbour = connect(mesh);
    long boundary = 0, inner = 0;
    std::uint64_t hash = 14695981039346656037ULL;
    std::vector<long> on_boundary(5);
    for (const auto &n : neighbour) {
        int open = 0;
        for (int k : n) {
            hash = (hash ^ static_cast<std::uint64_t>(k + 1)) * 1099511628211ULL;
            open += k < 0;
        }
        boundary += open;
        inner += 4 - open;
        on_boundary[open]++;
    }
    std::printf("cells %zu boundary faces %ld inner faces %ld\n", mesh.cells.size(), boundary, inner / 2);
    for (int k = 0; k < 5; k++)
        std::printf("cells with %d boundary faces: %ld\n", k, on_boundary[k]);
    std::printf("hash %016llx\n", static_cast<unsigned long long>(hash));
    return 0;
}
