// Column store: total revenue of a column kept in pages; pages that hold
// nulls are few and are summed with their null map.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
struct Page { int64_t v[8192]; };
static int64_t page_total(const Page &p) {
    int64_t t = 0;
    for (int i = 0; i < 8192; i++)
        t += p.v[i];
    return t;
}
static int64_t page_total_nulls(const Page &p, uint64_t map) {
    int64_t t = 0;
    for (int i = 0; i < 8192; i++)
        if (!(map >> (i & 63) & 1)) t += p.v[i];
    return t;
}
static int64_t column_total(const Page *pages, const uint64_t *maps, long n) {
    int64_t t = 0;
    for (long k = 0; k < n; k++)
        t += __builtin_expect(maps[k] != 0, 0) ? page_total_nulls(pages[k], maps[k])
                                               : page_total(pages[k]);
    return t;
}
int main() {
    const long n = 8192;
    Page *pages = static_cast<Page *>(malloc(sizeof(Page) * n));
    uint64_t *maps = static_cast<uint64_t *>(calloc(n, sizeof(uint64_t)));
    if (!pages || !maps) return 1;
    for (long k = 0; k < n; k++) {
        for (int i = 0; i < 8192; i++) pages[k].v[i] = (k * 37 + i) & 1023;
        if (k % 500 == 7) maps[k] = 0x8040201;
    }
    int64_t t = 0;
    for (int q = 0; q < 60; q++) {
        pages[q * 5].v[q] += q;
        t = t * 3 + column_total(pages, maps, n);
    }
    std::printf("colsum %lld\n", (long long)t);
    free(pages);
    free(maps);
    return 0;
}
