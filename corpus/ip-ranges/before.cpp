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

class RangeTable {
public:
    explicit RangeTable(std::vector<uint32_t> starts) : starts_(std::move(starts)) {}

    // Number of the range that holds addr: the last one that starts at or before it.
    uint32_t find(uint32_t addr) const
    {
        auto it = std::upper_bound(starts_.begin(), starts_.end(), addr);
        return static_cast<uint32_t>(it - starts_.begin()) - 1;
    }

    size_t size() const { return starts_.size(); }

private:
    std::vector<uint32_t> starts_;
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
