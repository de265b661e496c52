// Separable Gaussian smoothing of a synthetic CT volume, followed by the
// difference-of-Gaussians response used to find nodule candidates.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

struct Volume {
    int nx, ny, nz;
    std::vector<float> data;
    Volume(int x, int y, int z) : nx(x), ny(y), nz(z), data(size_t(x) * y * z) {}
    float& at(int x, int y, int z) { return data[(size_t(z) * ny + y) * nx + x]; }
    float at(int x, int y, int z) const { return data[(size_t(z) * ny + y) * nx + x]; }
};

static std::vector<float> gaussian_kernel(float sigma) {
    int radius = int(std::ceil(3.0f * sigma));
    std::vector<float> k(2 * radius + 1);
    float sum = 0.0f;
    for (int i = -radius; i <= radius; ++i) {
        k[i + radius] = std::exp(-float(i * i) / (2.0f * sigma * sigma));
        sum += k[i + radius];
    }
    for (float& v : k) v /= sum;
    return k;
}

static int clamp_index(int i, int n) { return i < 0 ? 0 : (i >= n ? n - 1 : i); }

static void smooth_x(const Volume& in, Volume& out, const std::vector<float>& k) {
    int r = int(k.size()) / 2;
    for (int z = 0; z < in.nz; ++z)
        for (int y = 0; y < in.ny; ++y)
            for (int x = 0; x < in.nx; ++x) {
                float sum = 0.0f;
                for (int i = -r; i <= r; ++i)
                    sum += k[i + r] * in.at(clamp_index(x + i, in.nx), y, z);
                out.at(x, y, z) = sum;
            }
}

// out_row = sum of k[i] * rows[i], the rows being contiguous along x.
static void combine_rows(const float* const* rows, const std::vector<float>& k, int nx, float* out) {
    for (int x = 0; x < nx; ++x) out[x] = 0.0f;
    for (size_t i = 0; i < k.size(); ++i) {
        const float w = k[i];
        const float* row = rows[i];
        for (int x = 0; x < nx; ++x) out[x] += w * row[x];
    }
}

static void smooth_y(const Volume& in, Volume& out, const std::vector<float>& k) {
    int r = int(k.size()) / 2;
    std::vector<const float*> rows(k.size());
    for (int z = 0; z < in.nz; ++z)
        for (int y = 0; y < in.ny; ++y) {
            for (int i = -r; i <= r; ++i)
                rows[i + r] = &in.data[(size_t(z) * in.ny + clamp_index(y + i, in.ny)) * in.nx];
            combine_rows(rows.data(), k, in.nx, &out.at(0, y, z));
        }
}

static void smooth_z(const Volume& in, Volume& out, const std::vector<float>& k) {
    int r = int(k.size()) / 2;
    std::vector<const float*> rows(k.size());
    for (int z = 0; z < in.nz; ++z)
        for (int y = 0; y < in.ny; ++y) {
            for (int i = -r; i <= r; ++i)
                rows[i + r] = &in.data[(size_t(clamp_index(z + i, in.nz)) * in.ny + y) * in.nx];
            combine_rows(rows.data(), k, in.nx, &out.at(0, y, z));
        }
}

static void smooth(const Volume& in, float sigma, Volume& scratch, Volume& out) {
    std::vector<float> k = gaussian_kernel(sigma);
    smooth_x(in, out, k);
    smooth_y(out, scratch, k);
    smooth_z(scratch, out, k);
}

static Volume make_phantom(int nx, int ny, int nz) {
    Volume v(nx, ny, nz);
    uint32_t s = 12345;
    for (float& f : v.data) {
        s = s * 1664525u + 1013904223u;
        f = -850.0f + float(s >> 24) * 0.4f;
    }
    for (int n = 0; n < 40; ++n) {
        int c[3], dim[3] = {nx, ny, nz};
        for (int a = 0; a < 3; ++a) {
            s = s * 1664525u + 1013904223u;
            c[a] = 8 + int((s >> 8) % uint32_t(dim[a] - 16));
        }
        int r = 2 + n % 5;
        for (int z = -r; z <= r; ++z)
            for (int y = -r; y <= r; ++y)
                for (int x = -r; x <= r; ++x)
                    if (x * x + y * y + z * z <= r * r) v.at(c[0] + x, c[1] + y, c[2] + z) += 800.0f;
    }
    return v;
}

int main() {
    Volume ct = make_phantom(512, 512, 40);
    Volume scratch = ct, fine = ct, coarse = ct;
    smooth(ct, 0.6f, scratch, fine);
    for (float sigma : {0.8f, 1.0f, 1.3f}) {
        smooth(ct, sigma, scratch, coarse);
        double sum = 0.0;
        float peak = 0.0f;
        int candidates = 0;
        for (size_t i = 0; i < ct.data.size(); ++i) {
            float dog = fine.data[i] - coarse.data[i];
            sum += coarse.data[i];
            peak = std::max(peak, dog);
            if (dog > 60.0f) ++candidates;
        }
        std::printf("sigma %.1f mean %.9f peak %.6f candidates %d centre %.6f\n", sigma,
                    sum / ct.data.size(), peak, candidates, coarse.at(256, 256, 20));
        std::swap(fine, coarse);
    }
    return 0;
}
