/* Ray tracer: normalises the shading normals of small patches of a mesh
   before lighting. */
#include <math.h>
#include <stdio.h>
enum { PATCHES = 24, SIDE = 20, FRAMES = 2800000 };
struct vec { double x, y, z; };
static struct vec normal[PATCHES][SIDE];
static double shade[PATCHES][SIDE];
static inline double facing(const struct vec *n, double lx, double ly, double lz) {
    double len2 = n->x * n->x + n->y * n->y + n->z * n->z;
    return (n->x * lx + n->y * ly + n->z * lz) / sqrt(len2);
}
static void __attribute__((noinline)) light(double lx, double ly, double lz) {
    for (int p = 0; p < PATCHES; p++)
        for (int i = 0; i < SIDE; i++)
            shade[p][i] = facing(&normal[p][i], lx, ly, lz);
}
int main(void) {
    double sum = 0;
    for (int p = 0; p < PATCHES; p++)
        for (int i = 0; i < SIDE; i++) {
            normal[p][i].x = 0.1 + (p * 7 + i) % 13;
            normal[p][i].y = 0.2 + (p * 3 + i * 5) % 11;
            normal[p][i].z = 0.3 + (p + i * 3) % 17;
        }
    for (int f = 0; f < FRAMES; f++) {
        light(0.6, 0.1 * (f & 7), 0.5);
        sum += shade[f % PATCHES][f % SIDE];
    }
    printf("unitvec %.6f\n", sum);
    return 0;
}
