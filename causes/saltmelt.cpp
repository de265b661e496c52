// Molten salt: electric energy of ions with their listed neighbours, a
// handful for each ion, with a screening term.
#include <cstdio>
#include <cmath>

struct Ion { double x, y, z, q; };
static Ion ion[256];
static int first[257];
static unsigned char near[256 * 16];

static double energy(double lambda)
{
    double e = 0.0;
    for (int i = 0; i < 256; i++) {
        const Ion a = ion[i];
        double v = 0.0;
        for (int k = first[i]; k < first[i + 1]; k++) {
            const Ion &b = ion[near[k]];
            double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
            double r = std::sqrt(dx * dx + dy * dy + dz * dz + 0.01);
            v += b.q / r + lambda / (r + 1.0);
        }
        e += a.q * v;
    }
    return e;
}

int main()
{
    unsigned s = 41;
    int n = 0;
    for (int i = 0; i < 256; i++) {
        s = s * 1664525u + 1013904223u;
        ion[i] = {(s >> 8 & 255) * 0.05, (s >> 16 & 255) * 0.05, (s >> 24) * 0.05, i % 2 ? 1.0 : -1.0};
        first[i] = n;
        for (int k = 0; k < 9 + i % 4; k++)
            near[n++] = static_cast<unsigned char>(i * 7 + k * 29 + 1);
    }
    first[256] = n;
    double e = 0.0;
    for (int t = 0; t < 210000; t++) {
        e += energy(0.1 + 1e-3 * (t % 9));
        ion[t & 255].x += 1e-6 * std::fmod(e, 1.0);
    }
    std::printf("energy %.8f\n", e);
    return 0;
}
