// Path queries on a terrain map: A* with 4-connected moves, where entering a
// cell costs its terrain class.  Prints the cost of every route.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Map {
    int width, height;
    std::vector<std::uint8_t> cost; // 0 is a wall

    int at(int x, int y) const { return cost[static_cast<std::size_t>(y) * width + x]; }
    bool free(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height && at(x, y) > 0; }
};

struct Node {
    int x, y;
    int g, f;
};

static std::uint32_t seed = 99;

static int rnd(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return static_cast<int>((seed >> 10) % static_cast<unsigned>(n));
}

static Map make_map(int width, int height)
{
    Map m{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height, 1)};
    auto fill = [&](int x0, int y0, int w, int h, int value) {
        for (int y = y0; y < y0 + h && y < height; y++)
            for (int x = x0; x < x0 + w && x < width; x++)
                m.cost[static_cast<std::size_t>(y) * width + x] = static_cast<std::uint8_t>(value);
    };
    for (int k = 0; k < 500; k++)
        fill(rnd(width), rnd(height), 4 + rnd(30), 4 + rnd(30), 1 + rnd(9));
    for (int k = 0; k < 220; k++) {
        if (rnd(2))
            fill(rnd(width), rnd(height), 2, 10 + rnd(40), 0);
        else
            fill(rnd(width), rnd(height), 10 + rnd(40), 2, 0);
    }
    return m;
}

class PathFinder {
public:
    explicit PathFinder(const Map &map) : map_(map), best_(map.cost.size()), closed_(map.cost.size()) {}

    int expanded() const { return expanded_; }

    // the cost of the cheapest route, -1 if there is none
    int search(int sx, int sy, int tx, int ty)
    {
        best_.assign(best_.size(), INT32_MAX);
        closed_.assign(closed_.size(), false);
        open_.clear();
        push(sx, sy, 0, tx, ty);
        while (!open_.empty()) {
            Node n = pop();
            std::size_t at = index(n.x, n.y);
            if (closed_[at])
                continue;
            closed_[at] = true;
            expanded_++;
            if (n.x == tx && n.y == ty)
                return n.g;
            static const int dx[4] = {1, 0, -1, 0}, dy[4] = {0, 1, 0, -1};
            for (int d = 0; d < 4; d++) {
                int x = n.x + dx[d], y = n.y + dy[d];
                if (map_.free(x, y) && !closed_[index(x, y)])
                    push(x, y, n.g + map_.at(x, y), tx, ty);
            }
        }
        return -1;
    }

private:
    std::size_t index(int x, int y) const { return static_cast<std::size_t>(y) * map_.width + x; }

    void push(int x, int y, int g, int tx, int ty)
    {
        if (g >= best_[index(x, y)])
            return;
        best_[index(x, y)] = g;
        int h = std::abs(x - tx) + std::abs(y - ty);
        open_.push_back({x, y, g, g + h});
    }

    Node pop()
    {
        std::size_t best = 0;
        for (std::size_t i = 1; i < open_.size(); i++)
            if (open_[i].f < open_[best].f)
                best = i;
        Node n = open_[best];
        open_[best] = open_.back();
        open_.pop_back();
        return n;
    }

    const Map &map_;
    std::vector<int> best_;
    std::vector<bool> closed_;
    std::vector<Node> open_;
    int expanded_ = 0;
};

int main(int argc, char **argv)
{
    int queries = argc > 1 ? std::atoi(argv[1]) : 24;
    Map map = make_map(480, 360);
    PathFinder finder(map);
    long total = 0;
    for (int q = 0; q < queries; q++) {
        int p[4];
        for (int k = 0; k < 4; k += 2) {
            do {
                p[k] = rnd(map.width);
                p[k + 1] = rnd(map.height);
            } while (!map.free(p[k], p[k + 1]));
        }
        int cost = finder.search(p[0], p[1], p[2], p[3]);
        std::printf("(%d, %d) -> (%d, %d): %d\n", p[0], p[1], p[2], p[3], cost);
        total += cost;
    }
    std::printf("total %ld\n", total);
    return finder.expanded() > 0 ? 0 : 1;
}
