// Gravitational N-body simulation of a star cluster with direct summation and leapfrog steps.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

struct Vec3 {
    double x = 0.0, y = 0.0, z = 0.0;
    Vec3 operator+(const Vec3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
    Vec3 operator-(const Vec3 &o) const { return {x - o.x, y - o.y, z - o.z}; }
    Vec3 operator*(double s) const { return {x * s, y * s, z * s}; }
    double dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
};

class Body {
public:
    Body(double m, Vec3 p, Vec3 v) : mass(m), position(p), velocity(v) {}
    virtual ~Body() = default;

    // Acceleration and potential that this body causes at a point.
    virtual Vec3 pull(const Vec3 &at) const = 0;
    virtual double potential(const Vec3 &at) const = 0;

    double mass;
    Vec3 position, velocity, acceleration;
};

class PlummerStar : public Body {
public:
    PlummerStar(double m, Vec3 p, Vec3 v, double soft) : Body(m, p, v), softening(soft) {}

    Vec3 pull(const Vec3 &at) const override
    {
        const Vec3 d = position - at;
        const double r2 = d.dot(d) + softening * softening;
        const double r = std::sqrt(r2);
        return d * (mass / (r2 * r));
    }

    double potential(const Vec3 &at) const override
    {
        const Vec3 d = position - at;
        return -mass / std::sqrt(d.dot(d) + softening * softening);
    }

private:
    double softening;
};

class Cluster {
public:
    void add(std::unique_ptr<Body> b) { bodies.push_back(std::move(b)); }

    void accelerate()
    {
        for (auto &b : bodies) {
            Vec3 sum;
            for (const auto &other : bodies)
                if (other != b)
                    sum = sum + other->pull(b->position);
            b->acceleration = sum;
        }
    }

    void leapfrog(double dt)
    {
        for (auto &b : bodies) {
            b->velocity = b->velocity + b->acceleration * (0.5 * dt);
            b->position = b->position + b->velocity * dt;
        }
        accelerate();
        for (auto &b : bodies)
            b->velocity = b->velocity + b->acceleration * (0.5 * dt);
    }

    double energy() const
    {
        double e = 0.0;
        for (const auto &b : bodies) {
            e += 0.5 * b->mass * b->velocity.dot(b->velocity);
            for (const auto &other : bodies)
                if (other != b)
                    e += 0.5 * b->mass * other->potential(b->position);
        }
        return e;
    }

    std::vector<std::unique_ptr<Body>> bodies;
};

static uint64_t rng_state = 0x853C49E6748FEA9BULL;
static double uniform()
{
    rng_state = rng_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (rng_state >> 11) / 9007199254740992.0 * 2.0 - 1.0;
}

int main(int argc, char **argv)
{
    const int n = 2048, steps = argc > 1 ? std::atoi(argv[1]) : 50;
    Cluster cluster;
    for (int i = 0; i < n; ++i) {
        const Vec3 p{uniform(), uniform(), uniform()};
        const Vec3 v{0.3 * uniform() - 0.2 * p.y, 0.3 * uniform() + 0.2 * p.x, 0.3 * uniform()};
        cluster.add(std::make_unique<PlummerStar>(1.0 / n, p, v, 0.05));
    }
    cluster.accelerate();
    std::printf("energy at start %.9f\n", cluster.energy());
    for (int t = 0; t < steps; ++t)
        cluster.leapfrog(0.002);
    std::printf("energy at end %.9f\n", cluster.energy());
    double spread = 0.0;
    for (const auto &b : cluster.bodies)
        spread += b->mass * b->position.dot(b->position);
    const Vec3 &p = cluster.bodies[7]->position;
    std::printf("spread %.9f\nbody 7 %.9f %.9f %.9f\n", spread, p.x, p.y, p.z);
    return 0;
}
