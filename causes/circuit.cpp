// Nodal matrix of a small circuit times the voltage vector, eight rows abreast.
#include <cstdint>
#include <cstdio>
#include <vector>
#ifndef STEPS
#define STEPS 5500000
#endif

__attribute__((noinline))
static void apply(const std::vector<int32_t> &col, const std::vector<double> &g,
                  const double *v, double *cur, int rows, int width)
{
    const int32_t *c = col.data();
    const double *a = g.data();
    for (int r = 0; r < rows; r += 8) {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
        for (int k = 0; k < width; k++) {
            s0 += a[0] * v[c[0]];
            s1 += a[1] * v[c[1]];
            s2 += a[2] * v[c[2]];
            s3 += a[3] * v[c[3]];
            s4 += a[4] * v[c[4]];
            s5 += a[5] * v[c[5]];
            s6 += a[6] * v[c[6]];
            s7 += a[7] * v[c[7]];
            a += 8; c += 8;
        }
        cur[r] = s0; cur[r + 1] = s1; cur[r + 2] = s2; cur[r + 3] = s3;
        cur[r + 4] = s4; cur[r + 5] = s5; cur[r + 6] = s6; cur[r + 7] = s7;
    }
}

int main()
{
    const int rows = 32, width = 40;
    std::vector<int32_t> col(rows * width);
    std::vector<double> g(rows * width), v(256), cur(rows);
    uint32_t s = 3;
    for (size_t i = 0; i < col.size(); i++) {
        s = s * 1664525u + 1013904223u;
        col[i] = s >> 24;
        g[i] = (s >> 20 & 15) * 0.01 - 0.07;
    }
    for (size_t i = 0; i < v.size(); i++) v[i] = i * 0.01;
    double sum = 0;
    for (int t = 0; t < STEPS; t++) {
        v[t & 255] += 1e-6;
        apply(col, g, v.data(), cur.data(), rows, width);
        sum += cur[t & 31];
    }
    std::printf("circuit %.9g\n", sum);
}
