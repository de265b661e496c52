/* Speech detector: the hidden layer of a small network for four sound
   frames at a time (24 neurons, 64 inputs, weights in panels). */
#include <stdio.h>
#include <immintrin.h>

#define IN 64
static float weight[IN * 24] __attribute__((aligned(32)));
static float sound[4][IN];
static float out[4][24] __attribute__((aligned(32)));

__attribute__((target("avx2,fma"), noinline))
static void layer(const float *w, float x[4][IN], float y[4][24])
{
    __m256 a[4][3];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 3; c++)
            a[r][c] = _mm256_load_ps(&y[r][8 * c]);
    for (int k = 0; k < IN; k++) {
        __m256 b0 = _mm256_load_ps(w + 24 * k), b1 = _mm256_load_ps(w + 24 * k + 8);
        __m256 b2 = _mm256_load_ps(w + 24 * k + 16);
#define ROW(r) { __m256 s = _mm256_broadcast_ss(&x[r][k]); \
        a[r][0] = _mm256_fmadd_ps(s, b0, a[r][0]); \
        a[r][1] = _mm256_fmadd_ps(s, b1, a[r][1]); \
        a[r][2] = _mm256_fmadd_ps(s, b2, a[r][2]); }
        ROW(0) ROW(1) ROW(2) ROW(3)
    }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 3; c++)
            _mm256_store_ps(&y[r][8 * c], a[r][c]);
}

int main(void)
{
    float s = 0.0f;
    for (int i = 0; i < IN * 24; i++)
        weight[i] = (float)(i % 19 - 9) * 0.01f;
    for (int i = 0; i < 4 * IN; i++)
        sound[i / IN][i % IN] = (float)(i % 23) * 0.02f;
    for (long t = 0; t < 20000000; t++) {
        layer(weight, sound, out);
        if (t % 64 == 0)
            for (int i = 0; i < 96; i++)
                out[i / 24][i % 24] *= 0.01f;
    }
    for (int i = 0; i < 96; i++)
        s += out[i / 24][i % 24];
    printf("activity %.4f\n", s);
    return 0;
}
