/* Sonar: forms six beams from the samples of an array of hydrophones, a
   block of sixteen instants at a time. */
#include <stdio.h>
#include <string.h>
enum { PHONES = 192, BEAMS = 6, BLOCKS = 10500000 };
typedef float v8 __attribute__((vector_size(32)));
static float sample[PHONES][16] __attribute__((aligned(64)));
static float weight[PHONES][BEAMS];
static float beam[BEAMS][16] __attribute__((aligned(64)));
static void __attribute__((noinline)) form(void) {
    v8 a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0}, c0 = {0}, c1 = {0};
    v8 d0 = {0}, d1 = {0}, e0 = {0}, e1 = {0}, f0 = {0}, f1 = {0};
    for (int p = 0; p < PHONES; p++) {
        v8 x = *(const v8 *)&sample[p][0], y = *(const v8 *)&sample[p][8];
        const float *w = weight[p];
        a0 += x * w[0]; a1 += y * w[0];
        b0 += x * w[1]; b1 += y * w[1];
        c0 += x * w[2]; c1 += y * w[2];
        d0 += x * w[3]; d1 += y * w[3];
        e0 += x * w[4]; e1 += y * w[4];
        f0 += x * w[5]; f1 += y * w[5];
    }
    v8 r[12] = {a0, a1, b0, b1, c0, c1, d0, d1, e0, e1, f0, f1};
    memcpy(beam, r, sizeof beam);
}
int main(void) {
    double sum = 0;
    for (int p = 0; p < PHONES; p++) {
        for (int i = 0; i < 16; i++) sample[p][i] = (float)((p * 5 + i * 3) % 23) * 0.1f;
        for (int b = 0; b < BEAMS; b++) weight[p][b] = (float)((p + b) % 11) * 0.02f;
    }
    for (int k = 0; k < BLOCKS; k++) {
        sample[k % PHONES][k & 15] += 0.001f;
        form();
        sum += beam[k % BEAMS][k & 15];
    }
    printf("beamform %.3f\n", sum);
    return 0;
}
