// Column store: total of all amounts above a threshold, for many thresholds.
#include <cstdint>
#include <cstdio>
#include <vector>
#ifndef ROWS
#define ROWS 40000000
#endif
#ifndef QUERIES
#define QUERIES 100
#endif

static int64_t total_above(const std::vector<int64_t> &amount, int64_t limit)
{
    int64_t total = 0;
    for (int64_t a : amount)
        total += a > limit ? a : 0;
    return total;
}

int main()
{
    std::vector<int64_t> amount(ROWS);
    uint64_t s = 42;
    for (auto &a : amount) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        a = (int64_t)(s >> 44) - 500000;
    }
    int64_t x = 0;
    for (int q = 0; q < QUERIES; q++)
        x ^= total_above(amount, q * 1000 - 80000) + q;
    std::printf("ledgercol %lld\n", (long long)x);
}
