// Runs a few aggregate queries straight over a CSV export held in memory,
// the way an "external table" scan does: each query parses the text again.
#include <cstdint>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>

struct Row {
    int id;
    std::string city;
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

static Row parse_row(const std::string &line)
{
    std::istringstream in(line);
    std::string field;
    Row r;
    std::getline(in, field, ',');
    r.id = std::stoi(field);
    std::getline(in, r.city, ',');
    std::getline(in, field, ',');
    r.price = std::stod(field);
    std::getline(in, field, ',');
    r.quantity = std::stoi(field);
    std::getline(in, field, ',');
    r.discount = std::stod(field);
    return r;
}

template <class F> static void scan(const std::string &csv, F each)
{
    std::istringstream in(csv);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line))
        each(parse_row(line));
}

int main()
{
    const std::string csv = make_csv(650000);
    double revenue = 0;
    scan(csv, [&](const Row &r) { revenue += r.price * r.quantity * (1 - r.discount); });
    std::printf("bytes %zu revenue %.4f\n", csv.size(), revenue);

    for (int limit : {10, 40}) {
        std::map<std::string, double> by_city;
        long ids = 0;
        scan(csv, [&](const Row &r) {
            if (r.quantity >= limit) {
                by_city[r.city] += r.price;
                ids += r.id;
            }
        });
        for (auto &kv : by_city)
            std::printf("%d %s %.2f\n", limit, kv.first.c_str(), kv.second);
        std::printf("%d ids %ld\n", limit, ids);
    }
    return 0;
}
