/* Gathers the first four moments of detector pulse heights for a quality
   report, three channels of four pulses at a time. */
#include <stdio.h>
#ifndef REPS
#define REPS 3700000
#endif
#define N 1536
typedef double v4 __attribute__((vector_size(32)));
static v4 pulse[N / 4];
static v4 m[12];
static void gather(const v4 *p, int n)
{
    v4 a1 = m[0], a2 = m[1], a3 = m[2], a4 = m[3];
    v4 b1 = m[4], b2 = m[5], b3 = m[6], b4 = m[7];
    v4 c1 = m[8], c2 = m[9], c3 = m[10], c4 = m[11];
    for (int i = 0; i < n; i += 3) {
        v4 x = p[i], y = p[i + 1], z = p[i + 2];
        v4 x2 = x * x, y2 = y * y, z2 = z * z;
        a1 += x; a2 += x2; a3 += x2 * x; a4 += x2 * x2;
        b1 += y; b2 += y2; b3 += y2 * y; b4 += y2 * y2;
        c1 += z; c2 += z2; c3 += z2 * z; c4 += z2 * z2;
    }
    m[0] = a1; m[1] = a2; m[2] = a3; m[3] = a4;
    m[4] = b1; m[5] = b2; m[6] = b3; m[7] = b4;
    m[8] = c1; m[9] = c2; m[10] = c3; m[11] = c4;
}
int main(void)
{
    unsigned s = 3;
    for (int i = 0; i < N / 4; i++)
        for (int k = 0; k < 4; k++) {
            s = s * 1103515245u + 12345u;
            pulse[i][k] = (double)(s >> 16) / 65536.0;
        }
    for (int r = 0; r < REPS * 4L; r++)
        gather(pulse, N / 4);
    double sum = 0;
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 4; k++)
            sum += m[i][k];
    printf("%.10e\n", sum);
    return 0;
}
