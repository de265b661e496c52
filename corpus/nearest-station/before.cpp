// Finds the weather station nearest to each of many points with a k-d tree of
// station records, and tallies what the stations report.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

struct Station {
    float pos[2];
    char name[40];
    char operator_name[40];
    float monthly_mean[12];
    float monthly_rain[12];
    int id;
    int elevation;
    std::unique_ptr<Station> left, right;
};

static uint64_t seed = 20240501;
static double rnd()
{
    seed += 0x9E3779B97F4A7C15ULL;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return double((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static std::vector<std::unique_ptr<Station>> make_stations(int n)
{
    std::vector<std::unique_ptr<Station>> v;
    for (int i = 0; i < n; i++) {
        auto s = std::make_unique<Station>();
        s->pos[0] = float(rnd() * 1000);
        s->pos[1] = float(rnd() * 1000);
        std::snprintf(s->name, sizeof s->name, "station %d", i);
        std::strcpy(s->operator_name, i % 3 ? "met office" : "airfield");
        for (int m = 0; m < 12; m++) {
            s->monthly_mean[m] = float(m * i % 25);
            s->monthly_rain[m] = float(m + i % 90);
        }
        s->id = i;
        s->elevation = i % 2400;
        v.push_back(std::move(s));
    }
    return v;
}

using Iter = std::vector<std::unique_ptr<Station>>::iterator;

static std::unique_ptr<Station> build(Iter lo, Iter hi, int axis)
{
    if (lo == hi)
        return nullptr;
    Iter mid = lo + (hi - lo) / 2;
    std::nth_element(lo, mid, hi, [axis](const auto &a, const auto &b) {
        return a->pos[axis] < b->pos[axis] || (a->pos[axis] == b->pos[axis] && a->id < b->id);
    });
    std::unique_ptr<Station> s = std::move(*mid);
    s->left = build(lo, mid, 1 - axis);
    s->right = build(mid + 1, hi, 1 - axis);
    return s;
}

struct Nearest {
    float x[2];
    float best = 1e30f;
    const Station *who = nullptr;

    void visit(const Station *s, int axis)
    {
        float dx = x[0] - s->pos[0], dy = x[1] - s->pos[1];
        float d = dx * dx + dy * dy;
        if (d < best) {
            best = d;
            who = s;
        }
        float side = x[axis] - s->pos[axis];
        const Station *near = side < 0 ? s->left.get() : s->right.get();
        const Station *far = side < 0 ? s->right.get() : s->left.get();
        if (near)
            visit(near, 1 - axis);
        if (far && side * side < best)
            visit(far, 1 - axis);
    }
};

int main()
{
    auto stations = make_stations(150000);
    auto root = build(stations.begin(), stations.end(), 0);
    double total = 0, climb = 0;
    uint64_t fold = 0;
    for (int q = 0; q < 600000; q++) {
        Nearest n;
        n.x[0] = float(rnd() * 1000);
        n.x[1] = float(rnd() * 1000);
        n.visit(root.get(), 0);
        total += n.best;
        climb += n.who->elevation;
        fold = fold * 31 + uint64_t(n.who->id);
        if (q % 150000 == 0)
            std::printf("%s %.1f\n", n.who->name, double(n.who->monthly_mean[q % 12]));
    }
    std::printf("distance %.6g climb %.0f fold %016llx\n", total, climb, (unsigned long long)fold);
    return 0;
}
