/* Diffraction-stack coverage: two-way travel times from every source-receiver
 * pair of a line survey to every point of a depth section. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 400, NZ = 150, NSHOT = 96, NREC = 20 };

static void add_pair(float *image, const float *slow, float sx, float rx, float dx, float dz)
{
    for (int iz = 0; iz < NZ; iz++) {
        float z = dz * (float)(iz + 1);
        float p = slow[iz];
        for (int ix = 0; ix < NX; ix++) {
            float x = dx * (float)ix;
            float ds = sqrtf(z * z + (x - sx) * (x - sx));
            float dr = sqrtf(z * z + (x - rx) * (x - rx));
            float t = p * (ds + dr);
            float w = z / (ds + dr);
            image[iz * NX + ix] += w * w / (1.0f + t);
        }
    }
}

int main(void)
{
    const float dx = 12.5f, dz = 10.0f;
    float *image = calloc((size_t)NX * NZ, sizeof *image);
    float slow[NZ];
    for (int iz = 0; iz < NZ; iz++)
        slow[iz] = 1.0f / (1500.0f + 0.6f * dz * (float)iz);
    for (int s = 0; s < NSHOT; s++) {
        float sx = 200.0f + 47.0f * (float)s;
        for (int r = 0; r < NREC; r++) {
            float rx = sx + 50.0f * (float)(r + 1);
            add_pair(image, slow, sx, rx, dx, dz);
            add_pair(image, slow, sx, sx - 50.0f * (float)(r + 1), dx, dz);
        }
    }
    double total = 0.0;
    for (int i = 0; i < NX * NZ; i++)
        total += image[i];
    printf("mean illumination %.6f\n", total / (NX * NZ));
    for (int iz = 9; iz < NZ; iz += 20)
        printf("depth %6.1f: %.5f %.5f %.5f\n", dz * (iz + 1), image[iz * NX + 20], image[iz * NX + 200],
               image[iz * NX + 390]);
    free(image);
    return 0;
}
