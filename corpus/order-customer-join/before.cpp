// Joins a year's orders with the customer file and totals the revenue by region and
// customer class, after the customer's own discount.
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

struct Customer {
    uint32_t id;
    std::string name;
    std::string city;
    uint16_t region;
    uint8_t grade;
    uint8_t discount;
    uint32_t since;
    int64_t credit_limit;
};

struct Order {
    uint32_t customer;
    uint32_t day;
    uint32_t cents;
};

struct Cell {
    int64_t orders = 0, cents = 0, rebate = 0;
};

static const int kRegions = 24, kGrades = 4;

static uint64_t state = 0x9E3779B97F4A7C15ULL;

static uint32_t rnd()
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * 2685821657736338717ULL) >> 32);
}

// Customer numbers are sparse: number k of the file, scattered over 32 bits.
static uint32_t customer_id(uint32_t k) { return k * 2654435761u + 77u; }

static std::vector<Customer> make_customers(uint32_t n)
{
    static const char *cities[] = {"Lyon", "Porto", "Graz", "Turku", "Ghent", "Split", "Cork", "Brno"};
    std::vector<Customer> v;
    v.reserve(n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t r = rnd();
        Customer c;
        c.id = customer_id(k);
        c.name = "Customer" + std::to_string(k);
        c.city = cities[r & 7];
        c.region = (uint16_t)((r >> 3) % kRegions);
        c.grade = (uint8_t)((r >> 10) % kGrades);
        c.discount = (uint8_t)((r >> 14) % 12);
        c.since = 1980 + (r >> 18) % 40;
        c.credit_limit = 1000 * (int64_t)((r >> 20) % 500);
        v.push_back(c);
    }
    return v;
}

static std::vector<Order> make_orders(size_t n, uint32_t ncustomers)
{
    std::vector<Order> v(n);
    for (Order &o : v) {
        uint32_t r = rnd();
        // one in sixteen belongs to a customer who has left the file
        uint32_t k = (uint32_t)(((uint64_t)rnd() * (ncustomers + ncustomers / 16)) >> 32);
        o.customer = customer_id(k);
        o.day = (r >> 3) % 365;
        o.cents = 100 + (r >> 8) % 50000;
    }
    return v;
}

class CustomerIndex {
public:
    explicit CustomerIndex(const std::vector<Customer> &customers)
    {
        for (const Customer &c : customers)
            by_id_[c.id] = c;
    }

    const Customer *find(uint32_t id) const
    {
        auto it = by_id_.find(id);
        return it == by_id_.end() ? nullptr : &it->second;
    }

private:
    std::unordered_map<uint32_t, Customer> by_id_;
};

int main()
{
    const uint32_t ncustomers = 400000;
    std::vector<Customer> customers = make_customers(ncustomers);
    std::vector<Order> orders = make_orders(8000000, ncustomers);

    CustomerIndex index(customers);
    std::vector<Cell> cells(kRegions * kGrades);
    int64_t orphans = 0, late = 0;
    for (const Order &o : orders) {
        const Customer *c = index.find(o.customer);
        if (!c) {
            orphans++;
            continue;
        }
        Cell &cell = cells[c->region * kGrades + c->grade];
        cell.orders++;
        cell.cents += o.cents;
        cell.rebate += (int64_t)o.cents * c->discount / 100;
        if (o.day > 300)
            late += c->grade;
    }

    int64_t check = 0, cents = 0, rebate = 0;
    for (size_t i = 0; i < cells.size(); i++) {
        cents += cells[i].cents;
        rebate += cells[i].rebate;
        check += (cells[i].orders * 7 + cells[i].cents + cells[i].rebate * 3) * (int64_t)(i + 1);
    }
    printf("orphans %lld late %lld\n", (long long)orphans, (long long)late);
    printf("cents %lld rebate %lld\n", (long long)cents, (long long)rebate);
    printf("check %lld\n", (long long)check);
    return 0;
}
