/* Credit scoring: the rule book of a bank, written out by a generator as one
   long list of rules over the figures of an applicant. */
#include <stdio.h>
#include <stdint.h>

#define FIG 3100
static int32_t fig[FIG + 1];

#define RULE(s, k) if (f[(k) * 61 % FIG] > (k) * 2654435 % 99991) s += 3 + (k) * 7919 % 70001;
#define R4(k) RULE(a, k) RULE(b, (k) + 1) RULE(c, (k) + 2) RULE(d, (k) + 3)
#define R16(k) R4(k) R4((k) + 4) R4((k) + 8) R4((k) + 12)
#define R64(k) R16(k) R16((k) + 16) R16((k) + 32) R16((k) + 48)
#define R256(k) R64(k) R64((k) + 64) R64((k) + 128) R64((k) + 192)
#define R1024(k) R256(k) R256((k) + 256) R256((k) + 512) R256((k) + 768)

static int64_t score(const int32_t *f, int people)
{
    int64_t a = 0, b = 0, c = 0, d = 0;
    for (int p = 0; p < people; p++) {
        R1024(0l)
        R1024(1024l)
        R1024(2048l)
        f += p & 1 ? -1 : 1;
    }
    return a + 3 * b + 5 * c + 7 * d;
}

int main(void)
{
    uint32_t r = 47;
    int64_t key = 0;
    for (int i = 0; i < FIG; i++) {
        r = r * 1664525u + 1013904223u;
        fig[i] = (int32_t)((r >> 8) % 100000);
    }
    for (int day = 0; day < 1000; day++) {
        key += score(fig, 2000);
        fig[day % FIG] = (int32_t)(key & 0xffff);
    }
    printf("score %lld\n", (long long)key);
    return 0;
}
