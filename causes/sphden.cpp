// Smoothed-particle density: 16 target particles at a time against the
// neighbours of their cell.
#include <cstdio>
#include <cstdlib>
#include <vector>
#ifndef SWEEPS
#define SWEEPS 6000000
#endif
typedef float v8 __attribute__((vector_size(32)));
struct Neigh { float x, y, z, m; };

static inline v8 splat(float f) { return v8{f, f, f, f, f, f, f, f}; }

__attribute__((noinline))
static void density(const std::vector<Neigh> &nb, const v8 *t, v8 *rho)
{
    v8 x0 = t[0], x1 = t[1], y0 = t[2], y1 = t[3], z0 = t[4], z1 = t[5];
    v8 r0 = rho[0], r1 = rho[1];
    const v8 h2 = splat(3.5f);
    for (const Neigh &n : nb) {
        v8 dx = x0 - n.x, dy = y0 - n.y, dz = z0 - n.z;
        v8 ex = x1 - n.x, ey = y1 - n.y, ez = z1 - n.z;
        v8 q = h2 - dx * dx - dy * dy - dz * dz;
        v8 p = h2 - ex * ex - ey * ey - ez * ez;
        v8 qq = q * q, pp = p * p;
        r0 += (n.m * q) * (qq + qq * qq);
        r1 += (n.m * p) * (pp + pp * pp);
    }
    rho[0] = r0; rho[1] = r1;
}

int main()
{
    std::vector<Neigh> nb(200);
    for (size_t i = 0; i < nb.size(); i++)
        nb[i] = { 0.001f * i, 0.5f - 0.002f * i, 0.3f * (i % 3), 1e-4f };
    v8 t[6], rho[2] = { splat(0), splat(0) };
    for (int k = 0; k < 6; k++) for (int l = 0; l < 8; l++) t[k][l] = 0.1f * l - 0.05f * k;
    for (int s = 0; s < SWEEPS; s++) {
        nb[s % 200].x += 1e-7f;
        density(nb, t, rho);
        if ((s & 1023) == 0) { rho[0] = rho[0] * 0.5f; rho[1] = rho[1] * 0.5f; }
    }
    std::printf("sphden %.6g %.6g\n", rho[0][1], rho[1][6]);
}
