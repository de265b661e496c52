// Rigid sphere crowd for a game scene: grid broad phase, pairwise impulses
// and integration, a fixed number of frames.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <unordered_map>
#include <utility>
#include <vector>

struct Vec3 {
    float x, y, z;
};
static Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
static Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
static float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Body {
    Vec3 pos, vel;
    float radius;
};

static const float kCell = 1.0f;
static const int kWorld = 40;  // cells per side

class BroadPhase {
public:
    // Every pair (a < b) of bodies in the same or adjacent cells whose
    // bounding spheres overlap, ordered by a, then by cell and insertion.
    std::vector<std::pair<int, int>> pairs(const std::vector<Body>& bodies) {
        std::unordered_map<int, std::vector<int>> grid;
        for (int i = 0; i < int(bodies.size()); ++i) {
            const Vec3& p = bodies[i].pos;
            grid[key(cell(p.x), cell(p.y), cell(p.z))].push_back(i);
        }

        std::vector<std::pair<int, int>> found;
        for (int i = 0; i < int(bodies.size()); ++i) {
            const Body& a = bodies[i];
            int cx = cell(a.pos.x), cy = cell(a.pos.y), cz = cell(a.pos.z);
            for (int z = cz - 1; z <= cz + 1; ++z)
                for (int y = cy - 1; y <= cy + 1; ++y)
                    for (int x = cx - 1; x <= cx + 1; ++x) {
                        auto it = grid.find(key(x, y, z));
                        if (it == grid.end()) continue;
                        for (int j : it->second) {
                            if (j <= i) continue;
                            Vec3 d = bodies[j].pos - a.pos;
                            float r = a.radius + bodies[j].radius;
                            if (dot(d, d) < r * r) found.emplace_back(i, j);
                        }
                    }
        }
        return found;
    }

private:
    static int cell(float v) { return int(std::floor(v / kCell)); }
    static int key(int x, int y, int z) { return ((z + 1) * (kWorld + 2) + y + 1) * (kWorld + 2) + x + 1; }
};

static void resolve(Body& a, Body& b) {
    Vec3 d = b.pos - a.pos;
    float dist = std::sqrt(dot(d, d));
    if (dist < 1e-6f) return;
    Vec3 n = d * (1.0f / dist);
    float approach = dot(b.vel - a.vel, n);
    if (approach < 0.0f) {
        a.vel = a.vel + n * approach;
        b.vel = b.vel - n * approach;
    }
    float push = 0.25f * (a.radius + b.radius - dist);
    a.pos = a.pos - n * push;
    b.pos = b.pos + n * push;
}

static void bounce(float& p, float& v) {
    const float top = kWorld * kCell - 0.01f;
    if (p < 0.0f) { p = 0.0f; v = -v; }
    if (p > top) { p = top; v = -v; }
}

static void integrate(std::vector<Body>& bodies, float dt) {
    for (Body& b : bodies) {
        b.pos = b.pos + b.vel * dt;
        bounce(b.pos.x, b.vel.x);
        bounce(b.pos.y, b.vel.y);
        bounce(b.pos.z, b.vel.z);
    }
}

int main() {
    uint32_t s = 2463534242u;
    auto rnd = [&s]() {
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        return float(s >> 8) / 16777216.0f;
    };
    std::vector<Body> bodies(30000);
    for (Body& b : bodies) {
        b.pos = {rnd() * kWorld * 0.999f, rnd() * kWorld * 0.999f, rnd() * kWorld * 0.999f};
        b.vel = {rnd() * 4.0f - 2.0f, rnd() * 4.0f - 2.0f, rnd() * 4.0f - 2.0f};
        b.radius = 0.15f + 0.33f * rnd();
    }

    BroadPhase broad;
    size_t contacts = 0;
    uint64_t hash = 1469598103934665603ull;
    const int frames = 60;
    for (int f = 0; f < frames; ++f) {
        auto found = broad.pairs(bodies);
        for (auto& p : found) {
            resolve(bodies[p.first], bodies[p.second]);
            hash = (hash ^ (uint64_t(p.first) << 20 ^ uint64_t(p.second))) * 1099511628211ull;
        }
        contacts += found.size();
        integrate(bodies, 1.0f / 60.0f);
        if (f % 10 == 0) std::printf("frame %d contacts %zu\n", f, found.size());
    }
    double energy = 0.0;
    for (const Body& b : bodies) energy += dot(b.vel, b.vel);
    std::printf("contacts %zu pairs %016llx\n", contacts, (unsigned long long)hash);
    std::printf("energy %.6f first %.6f %.6f %.6f\n", energy, bodies[0].pos.x, bodies[0].pos.y, bodies[0].pos.z);
    return 0;
}
