/* Census of deficient, perfect and abundant numbers, and the amicable pairs, up to N. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>

#define N 24000000u

#define BLOCK 131072u            /* 512 KiB of sums: half of the L2 cache */

/* s[m] = sum of the proper divisors of m, for all m <= n; block by block, each
 * divisor going on where it stopped in the block before. */
static int proper_divisor_sums(uint32_t *s, uint32_t n)
{
    uint32_t nd = 2;
    while ((uint64_t)nd * nd <= n)
        nd++;
    uint32_t *next = malloc(nd * sizeof *next);   /* next cofactor of each divisor */
    if (!next)
        return -1;
    for (uint32_t d = 2; d < nd; d++)
        next[d] = d + 1;
    for (uint32_t lo = 0; lo <= n; lo += BLOCK) {
        uint32_t hi = n - lo < BLOCK ? n : lo + BLOCK - 1;
        for (uint32_t m = lo; m <= hi; m++)
            s[m] = m > 1;
        for (uint32_t d = 2; d < nd && d * d <= hi; d++) {
            if (d * d >= lo)
                s[d * d] += d;
            uint32_t q = next[d];
            for (uint32_t m = d * q; m <= hi; m += d)
                s[m] += d + q++;
            next[d] = q;
        }
    }
    free(next);
    return 0;
}

int main(void)
{
    uint32_t *s = malloc(((size_t)N + 1) * sizeof *s);
    if (!s || proper_divisor_sums(s, N) != 0) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }

    uint32_t deficient = 0, perfect = 0, abundant = 0, odd_abundant = 0, primes = 0;
    uint32_t pairs = 0, last_a = 0, last_b = 0, richest = 2;
    uint64_t checksum = 0;
    for (uint32_t m = 2; m <= N; m++) {
        uint32_t a = s[m];
        checksum += a;
        if (a == 1)
            primes++;
        if (a < m) {
            deficient++;
        } else if (a == m) {
            perfect++;
        } else {
            abundant++;
            if (m & 1)
                odd_abundant++;
            if ((uint64_t)a * richest > (uint64_t)s[richest] * m)
                richest = m;
            if (a <= N && s[a] == m) {
                pairs++;
                last_a = m;
                last_b = a;
            }
        }
    }
    printf("up to %u: primes %u deficient %u perfect %u abundant %u (odd: %u)\n",
           N, primes, deficient, perfect, abundant, odd_abundant);
    printf("amicable pairs %u, last %u %u\n", pairs, last_a, last_b);
    printf("highest abundancy at %u: %.9f\n", richest, 1.0 + (double)s[richest] / richest);
    printf("sum of all %llu\n", (unsigned long long)checksum);
    free(s);
    return 0;
}
