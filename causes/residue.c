/* Tests candidate identifiers with a power residue fingerprint: raises every
   identifier to a fixed power modulo the word size. */
#include <stdio.h>
#include <stdint.h>
#ifndef REPS
#define REPS 1000000
#endif
#define N 1024
static uint64_t id[N];
static uint64_t fingerprint(const uint64_t *p, int n)
{
    uint64_t sum = 0;
    for (int i = 0; i < n; i++) {
        uint64_t x = p[i], x2 = x * x, x4 = x2 * x2, x8 = x4 * x4, x16 = x8 * x8;
        sum += x16 * x8;
        sum ^= x4 * x;
    }
    return sum;
}
int main(void)
{
    uint64_t s = 11, sum = 0;
    for (int i = 0; i < N; i++)
        id[i] = (s = s * 6364136223846793005ull + 1442695040888963407ull) | 1;
    for (int r = 0; r < REPS * 2; r++) {
        sum += fingerprint(id, N);
        id[r & (N - 1)] += 2;
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
