// Runs a few aggregate queries straight over a CSV export held in memory,
// the way an "external table" scan does: each query parses the text again.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

struct Row {
    int id;
    std::string_view city;
    double price;
    int quantity;
    double discount;
};

static uint32_t state = 77;
static uint32_t rnd()
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static std::string make_csv(int rows)
{
    static const char *cities[] = {"Oslo", "Lima", "Kyoto", "Quito", "Nairobi",
                                   "Winnipeg", "San Salvador", "Bern"};
    std::string out = "id,city,price,quantity,discount\n";
    for (int i = 0; i < rows; i++) {
        unsigned cents = rnd() % 100000;
        out += std::to_string(i);
        out += ',';
        out += cities[rnd() % 8];
        out += ',';
        out += std::to_string(cents / 100);
        out += '.';
        out += char('0' + cents / 10 % 10);
        out += char('0' + cents % 10);
        out += ',';
        out += std::to_string(1 + rnd() % 50);
        out += ",0.";
        out += std::to_string(100 + rnd() % 300);
        out += '\n';
    }
    return out;
}

// Parses one row in place; returns the start of the next line.
static const char *parse_row(const char *p, const char *end, Row &r)
{
    p = std::from_chars(p, end, r.id).ptr + 1;
    const char *comma = static_cast<const char *>(std::memchr(p, ',', end - p));
    r.city = std::string_view(p, comma - p);
    p = std::from_chars(comma + 1, end, r.price).ptr + 1;
    p = std::from_chars(p, end, r.quantity).ptr + 1;
    p = std::from_chars(p, end, r.discount).ptr;
    return p + 1;
}

template <class F> static void scan(const std::string &csv, F each)
{
    const char *p = csv.data() + csv.find('\n') + 1;
    const char *end = csv.data() + csv.size();
    Row r{};
    while (p < end) {
        p = parse_row(p, end, r);
        each(r);
    }
}

int main()
{
    const std::string csv = make_csv(650000);
    double revenue = 0;
    scan(csv, [&](const Row &r) { revenue += r.price * r.quantity * (1 - r.discount); });
    std::printf("bytes %zu revenue %.4f\n", csv.size(), revenue);

    for (int limit : {10, 40}) {
        std::map<std::string_view, double> by_city;
        long ids = 0;
        scan(csv, [&](const Row &r) {
            if (r.quantity >= limit) {
                by_city[r.city] += r.price;
                ids += r.id;
            }
        });
        for (auto &kv : by_city)
            std::printf("%d %.*s %.2f\n", limit, int(kv.first.size()), kv.first.data(), kv.second);
        std::printf("%d ids %ld\n", limit, ids);
    }
    return 0;
}
