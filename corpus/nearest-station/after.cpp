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

// What a search reads, packed into 16 bytes; the records stay elsewhere. The
// left child directly follows its parent in the array.
struct Node {
    float pos[2];
    uint32_t right;     // 0: none
    uint32_t station : 31;
    uint32_t has_left : 1;
};

struct Tree {
    std::vector<Node> nodes;
    std::vector<std::unique_ptr<Station>> stations;

    void build(Iter lo, Iter hi, int axis)
    {
        Iter mid = lo + (hi - lo) / 2;
        std::nth_element(lo, mid, hi, [axis](const auto &a, const auto &b) {
            return a->pos[axis] < b->pos[axis] || (a->pos[axis] == b->pos[axis] && a->id < b->id);
        });
        size_t at = nodes.size();
        nodes.push_back({{(*mid)->pos[0], (*mid)->pos[1]}, 0, uint32_t(stations.size()), lo != mid});
        stations.push_back(std::move(*mid));
        if (lo != mid)
            build(lo, mid, 1 - axis);
        if (mid + 1 != hi) {
            nodes[at].right = uint32_t(nodes.size());
            build(mid + 1, hi, 1 - axis);
        }
    }
};

struct Nearest {
    const Node *nodes;
    float x[2];
    float best = 1e30f;
    uint32_t who = 0;

    void visit(uint32_t i, int axis)
    {
        const Node &s = nodes[i];
        float dx = x[0] - s.pos[0], dy = x[1] - s.pos[1];
        float d = dx * dx + dy * dy;
        if (d < best) {
            best = d;
            who = s.station;
        }
        float side = x[axis] - s.pos[axis];
        uint32_t left = s.has_left ? i + 1 : 0;
        uint32_t near = side < 0 ? left : s.right;
        uint32_t far = side < 0 ? s.right : left;
        if (near)
            visit(near, 1 - axis);
        if (far && side * side < best)
            visit(far, 1 - axis);
    }
};

int main()
{
    auto stations = make_stations(150000);
    Tree tree;
    tree.build(stations.begin(), stations.end(), 0);
    double total = 0, climb = 0;
    uint64_t fold = 0;
    for (int q = 0; q < 600000; q++) {
        Nearest n{tree.nodes.data(), {}};
        n.x[0] = float(rnd() * 1000);
        n.x[1] = float(rnd() * 1000);
        n.visit(0, 0);
        const Station *who = tree.stations[n.who].get();
        total += n.best;
        climb += who->elevation;
        fold = fold * 31 + uint64_t(who->id);
        if (q % 150000 == 0)
            std::printf("%s %.1f\n", who->name, double(who->monthly_mean[q % 12]));
    }
    std::printf("distance %.6g climb %.0f fold %016llx\n", total, climb, (unsigned long long)fold);
    return 0;
}
