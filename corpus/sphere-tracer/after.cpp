// Small path tracer: spheres with diffuse, metal and light-emitting materials.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

struct Vec {
    double x, y, z;
    Vec operator+(const Vec &o) const { return {x + o.x, y + o.y, z + o.z}; }
    Vec operator-(const Vec &o) const { return {x - o.x, y - o.y, z - o.z}; }
    Vec operator*(const Vec &o) const { return {x * o.x, y * o.y, z * o.z}; }
    Vec operator*(double s) const { return {x * s, y * s, z * s}; }
};

static double dot(const Vec &a, const Vec &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static Vec unit(const Vec &a) { return a * (1.0 / std::sqrt(dot(a, a))); }

static std::uint64_t state = 1;
static double uniform()
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 11) / 9007199254740992.0;
}

static Vec random_direction()
{
    for (;;) {
        Vec v = {2 * uniform() - 1, 2 * uniform() - 1, 2 * uniform() - 1};
        double n = dot(v, v);
        if (n > 1e-6 && n < 1)
            return unit(v);
    }
}

struct Ray {
    Vec origin, direction;
};

class Material {
public:
    virtual ~Material() = default;
    virtual Vec emitted() const { return {0, 0, 0}; }
    virtual bool scatter(const Vec &in, const Vec &normal, Vec &out, Vec &colour) const = 0;
};

class Diffuse : public Material {
public:
    explicit Diffuse(Vec c) : colour_(c) {}
    bool scatter(const Vec &, const Vec &normal, Vec &out, Vec &colour) const override
    {
        out = unit(normal + random_direction() * 0.999);
        colour = colour_;
        return true;
    }

private:
    Vec colour_;
};

class Metal : public Material {
public:
    Metal(Vec c, double rough) : colour_(c), rough_(rough) {}
    bool scatter(const Vec &in, const Vec &normal, Vec &out, Vec &colour) const override
    {
        out = unit(in - normal * (2 * dot(in, normal)) + random_direction() * rough_);
        colour = colour_;
        return dot(out, normal) > 0;
    }

private:
    Vec colour_;
    double rough_;
};

class Light : public Material {
public:
    explicit Light(Vec c) : colour_(c) {}
    Vec emitted() const override { return colour_; }
    bool scatter(const Vec &, const Vec &, Vec &, Vec &) const override { return false; }

private:
    Vec colour_;
};

struct Hit {
    double t = 1e30;
    Vec point{}, normal{};
    const Material *material = nullptr; // owned by the scene
};

class Sphere {
public:
    Sphere(Vec c, double r, std::shared_ptr<Material> m) : centre_(c), radius_(r), material_(std::move(m)) {}
    bool intersect(const Ray &ray, double limit, Hit &hit) const
    {
        Vec oc = ray.origin - centre_;
        double b = dot(oc, ray.direction), c = dot(oc, oc) - radius_ * radius_, d = b * b - c;
        if (d < 0)
            return false;
        double root = std::sqrt(d), t = -b - root;
        if (t < 1e-6)
            t = -b + root;
        if (t < 1e-6 || t >= limit)
            return false;
        hit.t = t;
        hit.point = ray.origin + ray.direction * t;
        hit.normal = (hit.point - centre_) * (1.0 / radius_);
        hit.material = material_.get();
        return true;
    }

private:
    Vec centre_;
    double radius_;
    std::shared_ptr<Material> material_;
};

using Scene = std::vector<std::shared_ptr<Sphere>>;

static bool closest(const Scene &scene, const Ray &ray, Hit &hit)
{
    bool found = false;
    for (const auto &sphere : scene)
        if (sphere->intersect(ray, hit.t, hit))
            found = true;
    return found;
}

static Vec radiance(const Scene &scene, const Ray &ray, int depth)
{
    Hit hit;
    if (depth == 0 || !closest(scene, ray, hit))
        return {0.2, 0.25, 0.3};
    Vec out{}, colour{};
    Vec light = hit.material->emitted();
    if (!hit.material->scatter(ray.direction, hit.normal, out, colour))
        return light;
    return light + colour * radiance(scene, {hit.point, out}, depth - 1);
}

int main()
{
    Scene scene;
    auto ground = std::make_shared<Diffuse>(Vec{0.6, 0.6, 0.5});
    scene.push_back(std::make_shared<Sphere>(Vec{0, -1000, 0}, 1000, ground));
    for (int i = 0; i < 48; i++) {
        Vec c = {12 * uniform() - 6, 0.3 + 2 * uniform(), 12 * uniform() - 6}, tint = {uniform(), uniform(), uniform()};
        std::shared_ptr<Material> m;
        if (i % 3 == 0)
            m = std::make_shared<Metal>(tint, 0.2 * uniform());
        else if (i % 7 == 0)
            m = std::make_shared<Light>(tint * 3);
        else
            m = std::make_shared<Diffuse>(tint);
        scene.push_back(std::make_shared<Sphere>(c, 0.3, m));
    }
    const int width = 160, height = 120, samples = 120;
    Vec total = {0, 0, 0};
    for (int y = 0; y < height; y++) {
        Vec line = {0, 0, 0};
        for (int x = 0; x < width; x++)
            for (int s = 0; s < samples; s++) {
                Vec d = {(x + uniform()) / width - 0.5, 0.4 - 0.7 * (y + uniform()) / height, -0.8};
                line = line + radiance(scene, {{0, 1.5, 9}, unit(d)}, 6);
            }
        total = total + line;
        if (y % 15 == 14)
            std::printf("line %3d: %.6f %.6f %.6f\n", y, line.x, line.y, line.z);
    }
    std::printf("total %.6f %.6f %.6f\n", total.x, total.y, total.z);
    return 0;
}
