/* Pairwise similarity of DNA sequences by the length of their longest common
 * subsequence; every sequence is then reported with its nearest relative. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NSEQ 12
#define MAXLEN 4200

static char seq[NSEQ][MAXLEN];
static int len[NSEQ];
static uint64_t state = 88172645463325252ULL;

static unsigned rnd(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 20) % n);
}

static void random_sequence(char *s, int n)
{
    for (int i = 0; i < n; i++)
        s[i] = "ACGT"[rnd(4)];
}

/* copy of an ancestor with substitutions, insertions and deletions */
static int mutate(const char *from, int n, char *to)
{
    int m = 0;
    for (int i = 0; i < n && m < MAXLEN - 2; i++) {
        unsigned r = rnd(100);
        if (r < 8) {
            to[m++] = "ACGT"[rnd(4)];
        } else if (r < 11) {
            to[m++] = from[i];
            to[m++] = "ACGT"[rnd(4)];
        } else if (r >= 14) {
            to[m++] = from[i];
        }
    }
    return m;
}

static int code(char c)
{
    return c == 'A' ? 0 : c == 'C' ? 1 : c == 'G' ? 2 : 3;
}

/* bit-parallel LCS: bit i of v is 0 where the DP column steps up at row i */
static int lcs_length(const char *a, int na, const char *b, int nb)
{
    int words = (na + 63) / 64;
    uint64_t *mask = calloc((size_t)4 * words, sizeof *mask);
    uint64_t *v = malloc((size_t)words * sizeof *v);
    for (int i = 0; i < na; i++)
        mask[(size_t)code(a[i]) * words + i / 64] |= 1ULL << (i % 64);
    for (int w = 0; w < words; w++)
        v[w] = ~0ULL;
    for (int j = 0; j < nb; j++) {
        const uint64_t *m = mask + (size_t)code(b[j]) * words;
        unsigned carry = 0;
        for (int w = 0; w < words; w++) {
            uint64_t u = v[w] & m[w];
            uint64_t s = v[w] + u;
            unsigned c = s < u;
            s += carry;
            c |= s < carry;
            carry = c;
            v[w] = s | (v[w] & ~m[w]);
        }
    }
    int result = 0;
    for (int i = 0; i < na; i++)
        result += !(v[i / 64] >> (i % 64) & 1);
    free(mask);
    free(v);
    return result;
}

int main(void)
{
    len[0] = 4000;
    random_sequence(seq[0], len[0]);
    for (int s = 1; s < NSEQ; s++)
        len[s] = mutate(seq[(s - 1) / 2], len[(s - 1) / 2], seq[s]);

    static int lcs[NSEQ][NSEQ];
    for (int i = 0; i < NSEQ; i++)
        for (int j = i + 1; j < NSEQ; j++)
            lcs[i][j] = lcs[j][i] = lcs_length(seq[i], len[i], seq[j], len[j]);

    long total = 0;
    for (int i = 0; i < NSEQ; i++) {
        int best = i == 0 ? 1 : 0;
        for (int j = 0; j < NSEQ; j++) {
            total += lcs[i][j];
            if (j != i && lcs[i][j] > lcs[i][best])
                best = j;
        }
        printf("sequence %2d length %d nearest %2d lcs %d\n", i, len[i], best, lcs[i][best]);
    }
    printf("total %ld\n", total / 2);
    return 0;
}
