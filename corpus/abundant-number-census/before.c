/* Census of deficient, perfect and abundant numbers, and the amicable pairs, up to N. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>

#define N 24000000u

/* s[m] = sum of the proper divisors of m, for all m <= n */
static void proper_divisor_sums(uint32_t *s, uint32_t n)
{
    s[0] = 0;
    s[1] = 0;
    for (uint32_t m = 2; m <= n; m++)
        s[m] = 1;
    for (uint32_t d = 2; d * d <= n; d++) {
        s[d * d] += d;
        uint32_t q = d + 1;
        for (uint32_t m = d * q; m <= n; m += d)
            s[m] += d + q++;
    }
}

int main(void)
{
    uint32_t *s = malloc(((size_t)N + 1) * sizeof *s);
    if (!s) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    proper_divisor_sums(s, N);

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
