/* Router: keyed hashes of the flow records of three ports at a time, so that
   no sender outside can fill one bucket of the flow table. */
#include <stdio.h>
#include <stdint.h>

#define WORDS 200
static uint64_t rec[3][WORDS];

struct sip { uint64_t a, b, c, d; };

static inline uint64_t rol(uint64_t v, int s) { return v << s | v >> (64 - s); }

static inline void turn(struct sip *s)
{
    s->a += s->b; s->b = rol(s->b, 13); s->b ^= s->a; s->a = rol(s->a, 32);
    s->c += s->d; s->d = rol(s->d, 16); s->d ^= s->c;
    s->a += s->d; s->d = rol(s->d, 21); s->d ^= s->a;
    s->c += s->b; s->b = rol(s->b, 17); s->b ^= s->c; s->c = rol(s->c, 32);
}

static uint64_t ports(uint64_t k0, uint64_t k1)
{
    struct sip x = { k0 ^ 0x736f6d6570736575ULL, k1 ^ 0x646f72616e646f6dULL,
                     k0 ^ 0x6c7967656e657261ULL, k1 ^ 0x7465646279746573ULL };
    struct sip y = x, z = x;
    for (int i = 0; i < WORDS; i++) {
        x.d ^= rec[0][i];
        y.d ^= rec[1][i];
        z.d ^= rec[2][i];
        turn(&x); turn(&y); turn(&z);
        turn(&x); turn(&y); turn(&z);
        x.a ^= rec[0][i];
        y.a ^= rec[1][i];
        z.a ^= rec[2][i];
    }
    return (x.a ^ x.b ^ x.c ^ x.d) + (y.a ^ y.b ^ y.c ^ y.d) * 3 + (z.a ^ z.b ^ z.c ^ z.d) * 5;
}

int main(void)
{
    uint64_t r = 17, key = 1;
    for (int i = 0; i < 3 * WORDS; i++) {
        r = r * 6364136223846793005ULL + 1442695040888963407ULL;
        rec[i / WORDS][i % WORDS] = r ^ r >> 29;
    }
    for (int t = 0; t < 2000000; t++)
        key += ports(key, r) ^ (uint64_t)t;
    printf("flow %016llx\n", (unsigned long long)key);
    return 0;
}
