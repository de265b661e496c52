// Checks a chip layout: overlaps and spacing violations between shapes of one layer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

struct Rect {
    std::int32_t x0, y0, x1, y1;
    std::int32_t net;
};

struct Violation {
    std::uint32_t first, second;
    std::int32_t distance2;
};

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::int32_t below(std::int32_t n)
    {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<std::int32_t>((state_ >> 33) % static_cast<std::uint64_t>(n));
    }

private:
    std::uint64_t state_;
};

static std::vector<Rect> make_layer(std::size_t count, std::int32_t width, std::int32_t height)
{
    Random random(7);
    std::vector<Rect> shapes;
    shapes.reserve(count);
    for (std::size_t i = 0; i < count; i++) {
        std::int32_t w = 20 + random.below(60), h = 20 + random.below(60);
        if (random.below(3) == 0)
            w *= 60; // a horizontal wire
        Rect r;
        r.x0 = random.below(width);
        r.y0 = random.below(height);
        r.x1 = r.x0 + w;
        r.y1 = r.y0 + h;
        r.net = random.below(900);
        shapes.push_back(r);
    }
    return shapes;
}

static std::int32_t gap(std::int32_t a0, std::int32_t a1, std::int32_t b0, std::int32_t b1)
{
    return std::max(0, std::max(b0 - a1, a0 - b1));
}

static std::int32_t distance2(const Rect &a, const Rect &b)
{
    std::int32_t dx = gap(a.x0, a.x1, b.x0, b.x1);
    std::int32_t dy = gap(a.y0, a.y1, b.y0, b.y1);
    if (dx > 1000 || dy > 1000)
        return 2000000;
    return dx * dx + dy * dy;
}

static std::vector<Violation> check_spacing(const std::vector<Rect> &shapes, std::int32_t spacing)
{
    std::vector<Violation> found;
    for (std::uint32_t i = 0; i < shapes.size(); i++) {
        for (std::uint32_t j = i + 1; j < shapes.size(); j++) {
            if (shapes[i].net == shapes[j].net)
                continue;
            std::int32_t d2 = distance2(shapes[i], shapes[j]);
            if (d2 < spacing * spacing)
                found.push_back({i, j, d2});
        }
    }
    return found;
}

static void report(const char *title, const std::vector<Violation> &found)
{
    std::uint64_t h = 1469598103934665603ULL;
    std::size_t touching = 0;
    for (const Violation &v : found) {
        h = (h ^ v.first) * 1099511628211ULL;
        h = (h ^ v.second) * 1099511628211ULL;
        if (v.distance2 == 0)
            touching++;
    }
    std::printf("%s: %zu violations, %zu touching, checksum %016llx\n", title, found.size(), touching,
                static_cast<unsigned long long>(h));
    if (!found.empty())
        std::printf("  last: %u %u at %d\n", found.back().first, found.back().second,
                    found.back().distance2);
}

int main()
{
    std::vector<Rect> metal = make_layer(22000, 40000, 40000);
    report("spacing 12", check_spacing(metal, 12));
    report("spacing 30", check_spacing(metal, 30));
    return 0;
}
