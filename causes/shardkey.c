/* Data base import: makes the running check value of a column and, in the
   same pass, the sketches of three shards. */
#include <stdio.h>
#include <stdint.h>

#define ROWS 2000
static uint64_t col[ROWS];

static void import(const uint64_t *v, int n, uint64_t k[4])
{
    uint64_t h = k[0], s1 = k[1], s2 = k[2], s3 = k[3];
    for (int i = 0; i < n; i++) {
        h = (h ^ v[i]) * 0x9E3779B97F4A7C15ULL;
        s1 ^= v[i] * 0xC2B2AE3D27D4EB4FULL;
        s2 += (v[i] * 0x165667B19E3779F9ULL) >> 32;
        s3 ^= v[i] * 0x27D4EB2F165667C5ULL;
    }
    k[0] = h, k[1] = s1, k[2] = s2, k[3] = s3;
}

int main(void)
{
    uint64_t k[4] = {1, 2, 3, 4}, r = 61;
    for (int i = 0; i < ROWS; i++) {
        r = r * 6364136223846793005ULL + 1442695040888963407ULL;
        col[i] = r ^ r >> 30;
    }
    for (int t = 0; t < 1450000; t++) {
        import(col, ROWS, k);
        col[t % ROWS] += k[0] >> 60;
    }
    printf("check %016llx\n", (unsigned long long)(k[0] ^ k[1] ^ k[2] ^ k[3]));
    return 0;
}
