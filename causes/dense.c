/* Speech recogniser: one dense layer of a small network, applied to four
   time steps at once with packed weights. */
#include <stdio.h>

#define DEPTH 160
#define CALLS 9000000

typedef float v8 __attribute__((vector_size(32)));

static float input[4][DEPTH][4] __attribute__((aligned(64)));
static v8 weight[DEPTH][3];

__attribute__((target("avx2,fma"), noinline))
static void layer(v8 out[4][3], const float (*x)[4], int depth)
{
    v8 a0 = out[0][0], a1 = out[0][1], a2 = out[0][2];
    v8 b0 = out[1][0], b1 = out[1][1], b2 = out[1][2];
    v8 c0 = out[2][0], c1 = out[2][1], c2 = out[2][2];
    v8 d0 = out[3][0], d1 = out[3][1], d2 = out[3][2];
    for (int k = 0; k < depth; k++) {
        v8 w0 = weight[k][0], w1 = weight[k][1], w2 = weight[k][2];
        float p = x[k][0], q = x[k][1], r = x[k][2], s = x[k][3];
        v8 vp = { p, p, p, p, p, p, p, p }, vq = { q, q, q, q, q, q, q, q };
        v8 vr = { r, r, r, r, r, r, r, r }, vs = { s, s, s, s, s, s, s, s };
        a0 += vp * w0, a1 += vp * w1, a2 += vp * w2;
        b0 += vq * w0, b1 += vq * w1, b2 += vq * w2;
        c0 += vr * w0, c1 += vr * w1, c2 += vr * w2;
        d0 += vs * w0, d1 += vs * w1, d2 += vs * w2;
    }
    out[0][0] = a0, out[0][1] = a1, out[0][2] = a2;
    out[1][0] = b0, out[1][1] = b1, out[1][2] = b2;
    out[2][0] = c0, out[2][1] = c1, out[2][2] = c2;
    out[3][0] = d0, out[3][1] = d1, out[3][2] = d2;
}

int main(void)
{
    static v8 out[4][3];
    double sum = 0.0;
    for (int k = 0; k < DEPTH; k++) {
        for (int j = 0; j < 24; j++)
            weight[k][j / 8][j % 8] = (float)((k * 13 + j * 7) % 31 - 15) / 64;
        for (int b = 0; b < 4; b++)
            for (int t = 0; t < 4; t++)
                input[b][k][t] = (float)((k * 5 + b * 3 + t) % 17 - 8) / 32;
    }
    for (int i = 0; i < CALLS; i++) {
        layer(out, (const float (*)[4])input[i & 3], DEPTH);
        if ((i & 63) == 63)
            for (int t = 0; t < 4; t++)
                for (int j = 0; j < 24; j++) {
                    sum += out[t][j / 8][j % 8];
                    out[t][j / 8][j % 8] = 0.0f;
                }
    }
    printf("activation %.6f\n", sum);
    return 0;
}
