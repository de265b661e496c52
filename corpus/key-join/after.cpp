// Hash join of orders with customers on the customer key: builds a hash table
// on the customers, probes it with chunks of orders, sums per region.
#include <cstdint>
#include <cstdio>
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

// Open addressing with linear probing in one flat array of 16-byte rows, at
// most half full; a power of two for the size, so that no division is needed.
class CustomerIndex {
public:
    explicit CustomerIndex(const std::vector<Customer> &rows)
    {
        while ((1ULL << bits_) < 2 * rows.size())
            bits_++;
        mask_ = (1ULL << bits_) - 1;
        slots_.assign(mask_ + 1, {0, EMPTY, 0});
        for (const Customer &c : rows) {
            size_t i = slot(c.key);
            while (slots_[i].region != EMPTY && slots_[i].key != c.key)
                i = (i + 1) & mask_;
            if (slots_[i].region == EMPTY)
                slots_[i] = c;
        }
    }

    void probe(const std::vector<Order> &orders, Totals &totals) const
    {
        for (const Order &o : orders) {
            size_t i = slot(o.customer);
            while (slots_[i].region != EMPTY) {
                if (slots_[i].key == o.customer) {
                    totals.add(slots_[i], o);
                    break;
                }
                i = (i + 1) & mask_;
            }
        }
    }

private:
    static constexpr uint32_t EMPTY = UINT32_MAX;   // no region has this number

    size_t slot(uint64_t key) const
    {
        key ^= key >> 32;
        return static_cast<size_t>(key * 0x9E3779B97F4A7C15ULL >> (64 - bits_));
    }

    std::vector<Customer> slots_;
    size_t mask_ = 0;
    int bits_ = 4;
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
