// Attributes network flows to address ranges: a sorted table of range starts,
// one look-up per flow, bytes summed per origin.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

static uint64_t wy = 5;
static uint64_t rnd()
{
    wy += 0xA0761D6478BD642FULL;
    __uint128_t t = static_cast<__uint128_t>(wy) * (wy ^ 0xE7037ED1A0B428DBULL);
    return static_cast<uint64_t>(t >> 64) ^ static_cast<uint64_t>(t);
}

// Implicit B+ tree over the sorted table: each upper level holds every 16th
// key of the one below, so that a node is one cache line, compared as a whole
// without branches; five levels instead of 17 halvings.
class RangeTable {
public:
    explicit RangeTable(const std::vector<uint32_t> &starts) : n_(starts.size())
    {
        std::vector<uint32_t> level = starts;
        for (;;) {
            Level l((level.size() + 15) / 16);
            for (auto &node : l)
                std::fill(node.key, node.key + 16, UINT32_MAX);
            for (size_t i = 0; i < level.size(); i++)
                l[i / 16].key[i % 16] = level[i];
            levels_.push_back(std::move(l));
            if (level.size() <= 16)
                break;
            std::vector<uint32_t> upper;
            for (size_t i = 0; i < level.size(); i += 16)
                upper.push_back(level[i]);
            level.swap(upper);
        }
    }

    uint32_t find(uint32_t addr) const
    {
        if (addr == UINT32_MAX)     // would count the padding
            return static_cast<uint32_t>(n_) - 1;
        size_t k = 0;
        for (size_t d = levels_.size(); d-- > 0;) {
            const Node &node = levels_[d][k];
            unsigned below = 0;
            for (int i = 0; i < 16; i++)
                below += node.key[i] <= addr;
            k = 16 * k + below - 1;
        }
        return static_cast<uint32_t>(k);
    }

    size_t size() const { return n_; }

private:
    struct alignas(64) Node {
        uint32_t key[16];
    };
    using Level = std::vector<Node>;

    size_t n_;
    std::vector<Level> levels_;
};

static std::vector<uint32_t> make_starts(size_t n)
{
    std::vector<uint32_t> v(n);
    v[0] = 0;
    const double step = 4294967296.0 / double(n);
    for (size_t i = 1; i < n; i++)
        v[i] = static_cast<uint32_t>((double(i) + 0.9 * double(rnd() % 1000) / 1000) * step);
    return v;
}

int main()
{
    const size_t ranges = 120000;
    const int flows = 16000000;
    RangeTable table(make_starts(ranges));
    std::vector<uint8_t> origin(ranges);
    for (size_t i = 0; i < ranges; i++)
        origin[i] = uint8_t(i * 2654435761u >> 24) % 32;

    std::vector<uint64_t> bytes(32), count(32);
    uint64_t fold = 0;
    for (int f = 0; f < flows; f++) {
        uint64_t x = rnd();
        uint32_t r = table.find(static_cast<uint32_t>(x));
        fold = fold * 31 + r;
        bytes[origin[r]] += 40 + (x >> 40) % 1460;
        count[origin[r]]++;
    }
    std::printf("ranges %zu fold %016llx\n", table.size(), static_cast<unsigned long long>(fold));
    for (int o = 0; o < 32; o += 3)
        std::printf("origin %d flows %llu bytes %llu\n", o, static_cast<unsigned long long>(count[o]),
                    static_cast<unsigned long long>(bytes[o]));
    return 0;
}
