// A swarm of agents in a walled arena: steering, integration, wall bounces, energy bookkeeping.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Vec3 {
    float x, y, z;
};

struct Agent {
    std::string name;
    std::uint32_t id;
    std::uint32_t team;
    Vec3 position;
    Vec3 velocity;
    Vec3 home;
    float colour[4];
    float orientation[4];
    float health;
    float armour;
    int inventory[12];
    std::uint64_t born;
};

class Arena {
public:
    Arena(std::size_t count, float half_size) : half_(half_size)
    {
        agents_.resize(count);
        for (std::size_t i = 0; i < count; i++) {
            Agent &a = agents_[i];
            a.name = "agent" + std::to_string(i);
            a.id = static_cast<std::uint32_t>(i);
            a.team = static_cast<std::uint32_t>(i % 4);
            a.position = {random() * half_, random() * half_, random() * half_};
            a.velocity = {random() * 3.0f, random() * 3.0f, random() * 3.0f};
            a.home = {0.0f, 0.0f, 0.0f};
            for (int k = 0; k < 4; k++) {
                a.colour[k] = 0.25f * static_cast<float>(k);
                a.orientation[k] = k == 3 ? 1.0f : 0.0f;
            }
            a.health = 100.0f;
            a.armour = 5.0f;
            for (int k = 0; k < 12; k++)
                a.inventory[k] = static_cast<int>((i + static_cast<std::size_t>(k)) % 7);
            a.born = 0;
        }
    }

    void step(float dt)
    {
        Vec3 c = centre();
        for (Agent &a : agents_) {
            a.velocity.x += (c.x - a.position.x) * 0.2f * dt;
            a.velocity.y += (c.y - a.position.y) * 0.2f * dt;
            a.velocity.z += (c.z - a.position.z) * 0.2f * dt;
        }
        for (Agent &a : agents_) {
            a.position.x += a.velocity.x * dt;
            a.position.y += a.velocity.y * dt;
            a.position.z += a.velocity.z * dt;
        }
        for (Agent &a : agents_) {
            if (std::fabs(a.position.x) > half_ && a.position.x * a.velocity.x > 0.0f)
                a.velocity.x = -a.velocity.x;
            if (std::fabs(a.position.y) > half_ && a.position.y * a.velocity.y > 0.0f)
                a.velocity.y = -a.velocity.y;
            if (std::fabs(a.position.z) > half_ && a.position.z * a.velocity.z > 0.0f)
                a.velocity.z = -a.velocity.z;
        }
    }

    Vec3 centre() const
    {
        double x = 0.0, y = 0.0, z = 0.0;
        for (const Agent &a : agents_) {
            x += a.position.x;
            y += a.position.y;
            z += a.position.z;
        }
        double n = static_cast<double>(agents_.size());
        return {static_cast<float>(x / n), static_cast<float>(y / n), static_cast<float>(z / n)};
    }

    double kinetic_energy() const
    {
        double e = 0.0;
        for (const Agent &a : agents_)
            e += 0.5 * (a.velocity.x * a.velocity.x + a.velocity.y * a.velocity.y
                        + a.velocity.z * a.velocity.z);
        return e;
    }

    void describe(std::size_t i) const
    {
        const Agent &a = agents_[i];
        std::printf("%s team %u at %.4f %.4f %.4f moving %.4f %.4f %.4f health %.0f item %d\n",
                    a.name.c_str(), a.team, a.position.x, a.position.y, a.position.z, a.velocity.x,
                    a.velocity.y, a.velocity.z, a.health, a.inventory[3]);
    }

private:
    float random()
    {
        seed_ = seed_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<float>(seed_ >> 40) / 8388608.0f - 1.0f;
    }

    float half_;
    std::uint64_t seed_ = 42;
    std::vector<Agent> agents_;
};

int main()
{
    Arena arena(120000, 50.0f);
    for (int i = 1; i <= 750; i++) {
        arena.step(0.01f);
        if (i % 250 == 0)
            std::printf("step %d energy %.6f\n", i, arena.kinetic_energy());
    }
    Vec3 c = arena.centre();
    std::printf("centre %.6f %.6f %.6f\n", c.x, c.y, c.z);
    arena.describe(0);
    arena.describe(77777);
    return 0;
}
