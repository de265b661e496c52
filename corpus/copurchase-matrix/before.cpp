// Item similarity for a shop: C = B^T B, where B holds the weight of every item in every customer's basket.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

struct CsrMatrix {
    int rows = 0, cols = 0;
    std::vector<int> start{0};
    std::vector<int> col;
    std::vector<double> val;
};

CsrMatrix transpose(const CsrMatrix &a)
{
    CsrMatrix t;
    t.rows = a.cols;
    t.cols = a.rows;
    t.start.assign(a.cols + 1, 0);
    t.col.resize(a.col.size());
    t.val.resize(a.val.size());
    for (int c : a.col)
        t.start[c + 1]++;
    for (int i = 0; i < a.cols; ++i)
        t.start[i + 1] += t.start[i];
    std::vector<int> next(t.start.begin(), t.start.end() - 1);
    for (int i = 0; i < a.rows; ++i)
        for (int k = a.start[i]; k < a.start[i + 1]; ++k) {
            const int p = next[a.col[k]]++;
            t.col[p] = i;
            t.val[p] = a.val[k];
        }
    return t;
}

CsrMatrix multiply(const CsrMatrix &a, const CsrMatrix &b)
{
    CsrMatrix c;
    c.rows = a.rows;
    c.cols = b.cols;
    for (int i = 0; i < a.rows; ++i) {
        std::map<int, double> row;
        for (int k = a.start[i]; k < a.start[i + 1]; ++k) {
            const int j = a.col[k];
            for (int l = b.start[j]; l < b.start[j + 1]; ++l)
                row[b.col[l]] += a.val[k] * b.val[l];
        }
        for (const auto &entry : row) {
            c.col.push_back(entry.first);
            c.val.push_back(entry.second);
        }
        c.start.push_back(static_cast<int>(c.col.size()));
    }
    return c;
}

CsrMatrix make_baskets(int customers, int items)
{
    uint64_t s = 0xD1B54A32D192ED03ULL;
    auto uniform = [&s] {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        return (s >> 11) / 9007199254740992.0;
    };
    CsrMatrix b;
    b.rows = customers;
    b.cols = items;
    for (int i = 0; i < customers; ++i) {
        const int size = 4 + static_cast<int>(18 * uniform());
        const double taste = uniform();
        for (int k = 0; k < size; ++k) {
            // most purchases lie around the customer's taste, the others are popular items
            const double u = uniform(), v = uniform();
            const double where = k % 3 ? std::fmod(taste + 0.1 * u * v, 1.0) : u * u * u;
            b.col.push_back(static_cast<int>(where * items));
            b.val.push_back(1.0 + std::floor(4.0 * v));
        }
        b.start.push_back(static_cast<int>(b.col.size()));
    }
    return b;
}

int main(int argc, char **argv)
{
    const int customers = argc > 1 ? std::atoi(argv[1]) : 50000;
    const CsrMatrix baskets = make_baskets(customers, 6000);
    const CsrMatrix c = multiply(transpose(baskets), baskets);

    double sum = 0.0, trace = 0.0, strongest = 0.0;
    int first = 0, second = 0;
    for (int i = 0; i < c.rows; ++i)
        for (int k = c.start[i]; k < c.start[i + 1]; ++k) {
            sum += c.val[k];
            if (c.col[k] == i)
                trace += c.val[k];
            else if (c.col[k] > i && c.val[k] > strongest) {
                strongest = c.val[k];
                first = i;
                second = c.col[k];
            }
        }
    std::printf("customers %d, purchases %zu, similar pairs %zu\n", customers, baskets.col.size(), c.col.size());
    std::printf("sum %.6f trace %.6f\nstrongest pair %d %d: %.3f\n", sum, trace, first, second, strongest);
    for (int i = 1; i < c.rows; i *= 9)
        std::printf("item %d: %d neighbours, first %d with %.3f\n", i, c.start[i + 1] - c.start[i], c.col[c.start[i]], c.val[c.start[i]]);
    return 0;
}
