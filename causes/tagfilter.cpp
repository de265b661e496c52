// Photo library: narrows the set of selected pictures by one tag after the
// other; sets are bitmaps.
#include <cstdint>
#include <cstdio>
const size_t words = 10240;
struct alignas(64) Bitmap {
    uint64_t w[words];
};
static Bitmap out, all, tag;
static __attribute__((noinline)) void
narrow(Bitmap &out, const Bitmap &sel, const Bitmap &tag) {
    uint64_t *o = out.w;
    const uint64_t *a = sel.w, *b = tag.w;
    for (size_t i = 0; i < words; i++)
        o[i] = a[i] & ~b[i];
}
int main() {
    uint64_t s = 3, sum = 0;
    for (size_t i = 0; i < words; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        all.w[i] = s;
        tag.w[i] = s >> 21;
    }
    for (int r = 0; r < 900000; r++) {
        tag.w[r % words] ^= 1ull << (r & 63);
        narrow(out, all, tag);
        sum += out.w[(r * 7u) % words];
    }
    std::printf("tagfilter %016llx\n", (unsigned long long)sum);
    return 0;
}
