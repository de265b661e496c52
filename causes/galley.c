/* Small dense matrix products of a finite element code: a panel of A times
   a panel of B, added into a 4 x 12 tile of C. */
#include <stdio.h>
#define K 128
#define ROUNDS 48000000
typedef double v4 __attribute__((vector_size(32)));
static double a[K][4];
static v4 b[K][3];
int main(void)
{
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < 4; i++)
            a[k][i] = 0.01 * (k % 7 + i);
        for (int j = 0; j < 3; j++)
            b[k][j] = (v4){0.1 * j, 0.2, 0.01 * k, 0.3};
    }
    v4 c00 = {0}, c01 = c00, c02 = c00, c10 = c00, c11 = c00, c12 = c00;
    v4 c20 = c00, c21 = c00, c22 = c00, c30 = c00, c31 = c00, c32 = c00;
    for (int r = 0; r < ROUNDS / 4; r++) {
        a[r % K][r % 4] += 1e-6;
        for (int k = 0; k < K; k++) {
            v4 p = b[k][0], q = b[k][1], s = b[k][2];
            double x = a[k][0], y = a[k][1], z = a[k][2], w = a[k][3];
            c00 += x * p; c01 += x * q; c02 += x * s;
            c10 += y * p; c11 += y * q; c12 += y * s;
            c20 += z * p; c21 += z * q; c22 += z * s;
            c30 += w * p; c31 += w * q; c32 += w * s;
        }
    }
    v4 t = c00 + c01 + c02 + c10 + c11 + c12 + c20 + c21 + c22 + c30 + c31 + c32;
    printf("%.6f\n", t[0] + t[1] + t[2] + t[3]);
    return 0;
}
