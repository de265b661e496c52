// Hash join of orders with customers on the customer key: builds a hash table
// on the customers, probes it with chunks of orders, sums per region.
#include <cstdint>
#include <cstdio>
#include <unordered_map>
#include <vector>

struct Customer {
    uint64_t key;
    uint32_t region;
    int32_t limit;
};

struct Order {
    uint64_t customer;
    int64_t amount;
};

static uint64_t state = 3;
static uint64_t rnd()
{
    state += 0x9E3779B97F4A7C15ULL;
    uint64_t z = state;
    z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93ULL;
    z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93ULL;
    return z ^ (z >> 32);
}

static uint64_t key_of(uint64_t i)
{
    return i * 0x5851F42D4C957F2DULL + 0x14057B7EF767814FULL;
}

struct Totals {
    uint64_t matches = 0;
    int64_t amount[16] = {};
    uint64_t over_limit = 0;

    void add(const Customer &c, const Order &o)
    {
        matches++;
        amount[c.region] += o.amount;
        over_limit += o.amount > c.limit;
    }
};

class CustomerIndex {
public:
    explicit CustomerIndex(const std::vector<Customer> &rows)
    {
        for (const Customer &c : rows)
            map_.emplace(c.key, c);
    }

    void probe(const std::vector<Order> &orders, Totals &totals) const
    {
        for (const Order &o : orders) {
            auto it = map_.find(o.customer);
            if (it != map_.end())
                totals.add(it->second, o);
        }
    }

private:
    std::unordered_map<uint64_t, Customer> map_;
};

int main()
{
    const size_t customers = 200000, chunk = 50000;
    const int chunks = 320;
    std::vector<Customer> rows(customers);
    for (size_t i = 0; i < customers; i++)
        rows[i] = {key_of(i), uint32_t(rnd() % 16), int32_t(500 + rnd() % 9000)};

    CustomerIndex table(rows);
    Totals totals;
    std::vector<Order> orders(chunk);
    for (int c = 0; c < chunks; c++) {
        for (auto &o : orders) {
            uint64_t x = rnd();
            o.customer = key_of((x >> 20) % (customers + customers / 4));
            o.amount = int64_t(x % 10000);
        }
        table.probe(orders, totals);
    }
    std::printf("orders %zu matches %llu over limit %llu\n", chunk * chunks,
                (unsigned long long)totals.matches, (unsigned long long)totals.over_limit);
    for (int r = 0; r < 16; r++)
        std::printf("region %d amount %lld\n", r, (long long)totals.amount[r]);
    return 0;
}
