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

static int max(int a, int b)
{
    return a > b ? a : b;
}

static int lcs_length(const char *a, int na, const char *b, int nb)
{
    int *prev = calloc(nb + 1, sizeof *prev);
    int *cur = calloc(nb + 1, sizeof *cur);
    for (int i = 1; i <= na; i++) {
        for (int j = 1; j <= nb; j++) {
            if (a[i - 1] == b[j - 1])
                cur[j] = prev[j - 1] + 1;
            else
                cur[j] = max(prev[j], cur[j - 1]);
        }
        int *t = prev;
        prev = cur;
        cur = t;
    }
    int result = prev[nb];
    free(prev);
    free(cur);
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
