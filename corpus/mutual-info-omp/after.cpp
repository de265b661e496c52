// Image registration by mutual information: for every trial shift the joint
// grey-value histogram of two images is built and its entropies evaluated.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kBins = 64;
constexpr int kSize = 1024;

struct Image {
    std::vector<std::uint8_t> pixel;
    Image() : pixel(static_cast<std::size_t>(kSize) * kSize) {}
    std::uint8_t &at(int x, int y) { return pixel[static_cast<std::size_t>(y) * kSize + x]; }
    std::uint8_t at(int x, int y) const { return pixel[static_cast<std::size_t>(y) * kSize + x]; }
};

// the same scene with another grey scale, displaced by (sx, sy)
static Image scene(double sx, double sy, bool inverse, std::uint32_t seed)
{
    Image image;
    for (int y = 0; y < kSize; y++) {
        for (int x = 0; x < kSize; x++) {
            double u = x + sx, v = y + sy;
            double g = 32 + 12 * std::sin(u * 0.02) * std::cos(v * 0.031) + 10 * std::sin((u * 0.7 + v) * 0.011);
            seed = seed * 1664525u + 1013904223u;
            g += (seed >> 24) / 64.0;
            image.at(x, y) = static_cast<std::uint8_t>(inverse ? 63 - g * g / 64 : g);
        }
    }
    return image;
}

static std::vector<int> joint_histogram(const Image &a, const Image &b, int sx, int sy)
{
    std::vector<int> histogram(kBins * kBins, 0);
    int *h = histogram.data();
    int margin = 16;
    // every thread counts into its own copy, the copies are added at the end
#pragma omp parallel for reduction(+ : h[ : kBins * kBins])
    for (int y = margin; y < kSize - margin; y++) {
        for (int x = margin; x < kSize - margin; x++) {
            int bin = a.at(x, y) * kBins + b.at(x + sx, y + sy);
            h[bin]++;
        }
    }
    return histogram;
}

static double mutual_information(const std::vector<int> &histogram)
{
    std::vector<double> pa(kBins), pb(kBins);
    double total = 0, mi = 0;
    for (int n : histogram)
        total += n;
    for (int i = 0; i < kBins; i++) {
        for (int j = 0; j < kBins; j++) {
            pa[i] += histogram[i * kBins + j] / total;
            pb[j] += histogram[i * kBins + j] / total;
        }
    }
    for (int i = 0; i < kBins; i++) {
        for (int j = 0; j < kBins; j++) {
            double p = histogram[i * kBins + j] / total;
            if (p > 0)
                mi += p * std::log(p / (pa[i] * pb[j]));
        }
    }
    return mi;
}

int main()
{
    Image fixed = scene(0, 0, false, 1), moving = scene(-5, 3, true, 2);
    double best = -1;
    int bx = 0, by = 0;
    for (int sy = -6; sy <= 6; sy++) {
        for (int sx = -8; sx <= 8; sx++) {
            double mi = mutual_information(joint_histogram(fixed, moving, sx, sy));
            if (mi > best) {
                best = mi;
                bx = sx;
                by = sy;
            }
        }
        std::printf("row %2d: best so far %.9f at (%d, %d)\n", sy, best, bx, by);
    }
    return 0;
}
