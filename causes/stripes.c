/* Disk array: rebuilds the redundancy chunk of a group of four data disks
   each time one of them reports a changed sector. */
#include <stdint.h>
#include <stdio.h>

#define WORDS 6148
#define UPDATES 1500000

static uint64_t disk[4][WORDS], spare[WORDS];

static void rebuild(uint64_t *restrict p, const uint64_t *restrict a,
                    const uint64_t *restrict b, const uint64_t *restrict c,
                    const uint64_t *restrict d, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = a[i] ^ b[i] ^ c[i] ^ d[i];
}

int main(void)
{
    uint64_t seed = 88172645463325252ull, sum = 0;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < WORDS; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            disk[k][i] = seed;
        }
    for (int u = 0; u < UPDATES; u++) {
        disk[u & 3][u % WORDS] += sum | 1;
        rebuild(spare, disk[0], disk[1], disk[2], disk[3], WORDS);
        sum += spare[u % WORDS];
    }
    printf("array sum %016llx\n", (unsigned long long)sum);
    return 0;
}
