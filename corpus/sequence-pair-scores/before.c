/* All-pairs alignment scores of a set of short sequences, each pair once, with two threads. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NSEQ 640
#define MAXLEN 96

static char seq[NSEQ][MAXLEN];
static int len[NSEQ];
static int best[NSEQ];
static long sum[NSEQ];

static void generate(void)
{
    uint32_t s = 8;
    for (int i = 0; i < NSEQ; i++) {
        len[i] = 16 + i * 80 / NSEQ;
        for (int k = 0; k < len[i]; k++) {
            s = s * 1664525u + 1013904223u;
            seq[i][k] = "ACGT"[s >> 30];
        }
    }
}

static int score(const char *a, int la, const char *b, int lb)
{
    int row[MAXLEN + 1];
    int top = 0;

    memset(row, 0, sizeof row);
    for (int i = 0; i < la; i++) {
        int diag = 0;
        for (int j = 0; j < lb; j++) {
            int h = diag + (a[i] == b[j] ? 2 : -1);
            diag = row[j + 1];
            if (row[j + 1] - 1 > h)
                h = row[j + 1] - 1;
            if (row[j] - 1 > h)
                h = row[j] - 1;
            if (h < 0)
                h = 0;
            row[j + 1] = h;
            if (h > top)
                top = h;
        }
    }
    return top;
}

int main(void)
{
    generate();

    #pragma omp parallel for num_threads(2)
    for (int i = 0; i < NSEQ; i++) {
        int top = 0;
        long s = 0;
        for (int j = 0; j < i; j++) {
            int v = score(seq[i], len[i], seq[j], len[j]);
            s += v;
            if (v > top)
                top = v;
        }
        best[i] = top;
        sum[i] = s;
    }

    long total = 0, tops = 0;
    for (int i = 0; i < NSEQ; i++) {
        total += sum[i];
        tops += best[i];
    }
    printf("total %ld tops %ld\n", total, tops);
    for (int i = 0; i < NSEQ; i += 80)
        printf("%d %d %ld\n", i, best[i], sum[i]);
    return 0;
}
