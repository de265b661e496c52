// Tomography viewer: mixes two scans of the same body voxel by voxel to a
// third volume; the mixing rule is a template over the voxel type.
#include <cstdio>
#include <cstdint>
#include <cstdlib>

template <class T>
static inline void mix(T *__restrict out, const T *__restrict a, const T *__restrict b, size_t n, T bias)
{
    for (size_t i = 0; i < n; i++)
        out[i] = static_cast<T>((a[i] & b[i]) + bias);
}

int main()
{
    const size_t n = 1100000;
    uint16_t *a = new uint16_t[n];
    uint16_t *b = new uint16_t[n];
    uint16_t *c = new uint16_t[n];
    for (size_t i = 0; i < n; i++) {
        a[i] = static_cast<uint16_t>(i * 40503u >> 3);
        b[i] = static_cast<uint16_t>(i * 1013u);
        c[i] = 0;
    }
    uint64_t sum = 0;
    for (int view = 0; view < 30000; view++) {
        mix<uint16_t>(c, a, b, n, static_cast<uint16_t>(view));
        sum += c[static_cast<size_t>(view) * 71 % n];
        uint16_t *t = a;
        a = c;
        c = t;
    }
    std::printf("mix %llu\n", static_cast<unsigned long long>(sum));
    return 0;
}
