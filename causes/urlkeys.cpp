// Fingerprints of URLs for a crawler's seen-set: the bytes of each page of
// URLs are folded into one 64-bit key.
#include <cstdint>
#include <cstdio>
#include <string>
template <class Key, Key Prime>
static inline Key fold(Key h, unsigned char c)
{
    return (h ^ c) * Prime;
}
int main()
{
    std::string page;
    unsigned s = 7;
    while (page.size() < 12000) {
        s = s * 1103515245u + 12345u;
        page += "http://host" + std::to_string(s % 9973u) + ".example/p?q=" + std::to_string(s >> 9) + "\n";
    }
    uint64_t key = 14695981039346656037ull;
    const char *p = page.data();
    const size_t n = page.size();
    for (int r = 0; r < 240000; r++) {
        for (size_t i = 0; i < n; i++)
            key = fold<uint64_t, 1099511628211ull>(key, (unsigned char)p[i]);
    }
    std::printf("%016llx\n", (unsigned long long)key);
    return 0;
}
