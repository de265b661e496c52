// Order lookup in a chained hash index of an exchange's order book.
#include <cstdint>
#include <cstdio>
#include <vector>
#ifndef ORDERS
#define ORDERS 6000000
#endif
#ifndef QUERIES
#define QUERIES 900000
#endif

struct Order {
    uint64_t id;
    int32_t next;
    uint32_t qty;
    double price;
    uint64_t owner;
};

static inline uint64_t scramble(uint64_t x)
{
    x ^= x >> 31; x *= 0x7fb5d329728ea185ull;
    x ^= x >> 27; x *= 0x81dadef4bc2dd44dull;
    return x ^ (x >> 33);
}

int main()
{
    const uint32_t NB = ORDERS / 16;
    std::vector<int32_t> head(NB, -1);
    std::vector<Order> pool(ORDERS);
    for (int32_t i = 0; i < ORDERS; i++) {
        Order &o = pool[i];
        o.id = scramble(i + 1);
        uint32_t b = (uint32_t)(((o.id >> 32) * NB) >> 32);
        o.qty = i & 1023;
        o.price = i * 0.25;
        o.next = head[b];
        head[b] = i;
    }
    uint64_t filled = 0, missing = 0, key = 5;
    for (int q = 0; q < QUERIES; q++) {
        uint64_t id = scramble(key % ORDERS + 1);
        int32_t n = head[(uint32_t)(((id >> 32) * NB) >> 32)];
        while (n >= 0 && pool[n].id != id)
            n = pool[n].next;
        if (n < 0) { missing++; key = key * 7 + q; continue; }
        filled += pool[n].qty;
        key = key * 6364136223846793005ull + pool[n].qty + 1442695040888963407ull;
        key ^= key >> 29;
    }
    std::printf("stockbook %llu %llu\n", (unsigned long long)filled, (unsigned long long)missing);
}
