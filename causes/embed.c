/* Recommendation service: scores the embedding of a user against the
   embeddings of a few items that stay resident. */
#include <stdio.h>
enum { DIM = 2048, ITEMS = 2, USERS = 21000000 };
typedef float v8 __attribute__((vector_size(32)));
static float user[DIM] __attribute__((aligned(64)));
static float item[ITEMS][DIM] __attribute__((aligned(64)));
static float __attribute__((noinline)) score(const float *u, const float *t) {
    v8 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0};
    const v8 *a = (const v8 *)u, *b = (const v8 *)t;
    for (int i = 0; i < DIM / 8; i += 8) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
        s4 += a[i + 4] * b[i + 4];
        s5 += a[i + 5] * b[i + 5];
        s6 += a[i + 6] * b[i + 6];
        s7 += a[i + 7] * b[i + 7];
    }
    s0 = (s0 + s1) + (s2 + s3) + ((s4 + s5) + (s6 + s7));
    return s0[0] + s0[1] + s0[2] + s0[3] + s0[4] + s0[5] + s0[6] + s0[7];
}
int main(void) {
    double sum = 0;
    for (int i = 0; i < DIM; i++) {
        user[i] = (float)(i % 31) * 0.01f;
        for (int k = 0; k < ITEMS; k++) item[k][i] = (float)((i + k) % 29) * 0.01f;
    }
    for (int n = 0; n < USERS * 2; n++) {
        user[n % DIM] *= 1.0001f;
        sum += score(user, item[n & 1]);
    }
    printf("embed %.4e\n", sum);
    return 0;
}
