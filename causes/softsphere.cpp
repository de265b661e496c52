// Granular flow: contact energy of soft spheres; sixteen grains at a time feel
// all grains of the neighbouring bin.
#include <cstdio>
typedef float v8 __attribute__((vector_size(32)));
enum { NEIGH = 96, BINS = 32, STEPS = 1700000 };
struct Bin { float x[NEIGH], y[NEIGH], z[NEIGH]; };
struct Group {
    v8 x, y, z, energy;
    inline __attribute__((always_inline)) void feel(float px, float py, float pz) {
        v8 dx = px - x, dy = py - y, dz = pz - z;
        v8 r2 = dx * dx + dy * dy + dz * dz;
        energy += r2 * (0.5f + r2 * (-0.125f + r2 * (0.03f - r2 * 0.007f)));
    }
};
static Bin bin[4];
static Group grp[BINS * 2];
template <class G> static inline void interact(G &ga, G &gb, const Bin &b) {
    G p = ga, q = gb;
#pragma clang loop unroll(disable)
    for (int j = 0; j < NEIGH; j++) {
        p.feel(b.x[j], b.y[j], b.z[j]);
        q.feel(b.x[j], b.y[j], b.z[j]);
    }
    ga = p;
    gb = q;
}
int main() {
    for (int b = 0; b < 4; b++)
        for (int j = 0; j < NEIGH; j++) {
            bin[b].x[j] = float(j * 7 % 31) / 31;
            bin[b].y[j] = float(j * 11 % 29) / 29;
            bin[b].z[j] = float((j * 13 + b) % 37) / 37;
        }
    for (int g = 0; g < BINS * 2; g++)
        for (int l = 0; l < 8; l++) {
            grp[g].x[l] = float((g + l) % 17) / 17;
            grp[g].y[l] = float((g * 3 + l) % 19) / 19;
            grp[g].z[l] = float((g * 5 + l) % 23) / 23;
        }
    for (int s = 0; s < STEPS; s++)
        for (int k = 0; k < BINS / 4; k++) {
            int g = (s * 4 + k) % BINS;
            interact(grp[2 * g], grp[2 * g + 1], bin[k & 3]);
        }
    double sum = 0;
    for (int g = 0; g < BINS * 2; g++)
        for (int l = 0; l < 8; l++) sum += grp[g].energy[l];
    std::printf("softsphere %.5e\n", sum);
    return 0;
}
