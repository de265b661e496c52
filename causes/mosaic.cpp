// Astronomical mosaic: exposures are co-added with weights to a large sky
// image held in memory.
#include <algorithm>
#include <cstdio>
#include <vector>
int main()
{
    const size_t n = 40000000;
    std::vector<float> sky(n, 0.0f), expo(n), flat(n);
    for (size_t i = 0; i < n; i++) {
        expo[i] = static_cast<float>(i % 251);
        flat[i] = 1.0f + static_cast<float>(i % 17) * 0.01f;
    }
    for (int k = 0; k < 100; k++) {
        const float w = 0.01f * static_cast<float>(k % 5 + 1);
        float *s = sky.data();
        const float *e = expo.data(), *f = flat.data();
        for (size_t i = 0; i < n; i++)
            s[i] = s[i] + w * (e[i] * f[i]);
    }
    double t = 0;
    for (size_t i = 0; i < n; i += 1009)
        t += sky[i];
    std::printf("%.4f\n", t);
    return 0;
}
