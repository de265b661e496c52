/* Rotation of orbital coefficients: register-blocked product of packed panels
   (6 x 8 tile) as used in an electronic-structure code. */
#include <stdio.h>
#include <stdlib.h>
#ifndef TILES
#define TILES 8000000
#endif
#define K 192
typedef double v4 __attribute__((vector_size(32)));

__attribute__((noinline))
static void tile(const double *a, const v4 *b, v4 *c, int k)
{
    v4 c00 = {0}, c01 = {0}, c10 = {0}, c11 = {0}, c20 = {0}, c21 = {0};
    v4 c30 = {0}, c31 = {0}, c40 = {0}, c41 = {0}, c50 = {0}, c51 = {0};
    for (int p = 0; p < k; p++) {
        v4 b0 = b[0], b1 = b[1];
        c00 += a[0] * b0; c01 += a[0] * b1;
        c10 += a[1] * b0; c11 += a[1] * b1;
        c20 += a[2] * b0; c21 += a[2] * b1;
        c30 += a[3] * b0; c31 += a[3] * b1;
        c40 += a[4] * b0; c41 += a[4] * b1;
        c50 += a[5] * b0; c51 += a[5] * b1;
        a += 6; b += 2;
    }
    c[0] += c00; c[1] += c01; c[2] += c10; c[3] += c11; c[4] += c20; c[5] += c21;
    c[6] += c30; c[7] += c31; c[8] += c40; c[9] += c41; c[10] += c50; c[11] += c51;
}

int main(void)
{
    double *a = aligned_alloc(64, K * 6 * sizeof *a);
    v4 *b = aligned_alloc(64, K * 2 * sizeof *b), c[12] = {{0}};
    for (int i = 0; i < K * 6; i++) a[i] = (i % 7) * 0.01;
    for (int i = 0; i < K * 8; i++) ((double *)b)[i] = (i % 11) * 0.02 - 0.1;
    for (int t = 0; t < TILES; t++) {
        a[t % (K * 6)] += 1e-7;
        tile(a, b, c, K);
    }
    double s = 0;
    for (int i = 0; i < 48; i++) s += ((double *)c)[i];
    printf("wfmix %.10g\n", s);
    free(a); free(b);
    return 0;
}
