/* Develops scanned film strips: applies the tone curve and the grain mask of
   the film stock to every pixel and maps the result to the print range. */
#include <stdio.h>
#include <stdint.h>
#ifndef REPS
#define REPS 620000
#endif
#define N 4096
static uint8_t scan[N], grain[N], print_[N];
static uint8_t tone[256], mask[256], range[256];
static void develop(uint8_t *restrict out, const uint8_t *restrict in, const uint8_t *restrict gr)
{
    for (int i = 0; i < N; i++)
        out[i] = range[tone[in[i]] ^ mask[gr[i]]];
}
int main(void)
{
    uint32_t s = 3, sum = 0;
    for (int i = 0; i < N; i++) {
        scan[i] = (uint8_t)((s = s * 69069u + 1u) >> 20);
        grain[i] = (uint8_t)((s = s * 69069u + 1u) >> 21);
    }
    for (int i = 0; i < 256; i++) {
        tone[i] = (uint8_t)(255 - i * i / 256);
        mask[i] = (uint8_t)(i * 29 >> 3);
        range[i] = (uint8_t)(16 + i * 219 / 255);
    }
    for (int r = 0; r < REPS; r++) {
        develop(print_, scan, grain);
        sum += print_[r % N];
        scan[r % N]++;
    }
    printf("%u\n", (unsigned)sum);
    return 0;
}
