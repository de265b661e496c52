// Totals a column of a census table by plain scanning, as a column store does
// for an aggregate without an index.
#include <cstdio>
#include <cstdint>
#include <numeric>
#include <vector>
#ifndef N
#define N 50000000
#endif
#ifndef QUERIES
#define QUERIES 190
#endif
struct Column {
    std::vector<uint32_t> v;
    uint32_t fold() const
    {
        uint32_t s = 0;
        for (uint32_t x : v)
            s += x ^ (x >> 5);
        return s;
    }
};
int main()
{
    Column c;
    c.v.resize(N);
    uint32_t s = 1;
    for (auto &x : c.v)
        x = s = s * 1664525u + 1013904223u;
    uint64_t total = 0;
    for (int q = 0; q < QUERIES; q++) {
        c.v[static_cast<std::size_t>(q)] += 3;
        total += c.fold();
    }
    std::printf("%llu\n", static_cast<unsigned long long>(total));
}
