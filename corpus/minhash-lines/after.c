/* Near-duplicate detection: MinHash signatures (32 seeded FNV-1a hashes) of
 * documents seen as sets of lines; similar pairs are those whose signatures
 * agree in many places. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NDOC 4500
#define LINES 120
#define MAXLINE 96
#define K 32

struct doc {
    int nlines;
    int len[LINES];
    char text[LINES][MAXLINE];
};

static uint32_t seed[K];
static uint32_t lcg = 12345;

static uint32_t rnd(void)
{
    lcg = lcg * 1664525u + 1013904223u;
    return lcg >> 8;
}

static void make_line(char *s, int *len)
{
    static const char *const words[] = { "error", "disk", "node", "sync", "retry",
        "commit", "peer", "lease", "quorum", "epoch", "shard", "index" };
    int n = 0;
    int target = 50 + (int)(rnd() % 30);
    while (n < target) {
        const char *w = words[rnd() % 12];
        size_t l = strlen(w);
        memcpy(s + n, w, l);
        n += (int)l;
        s[n++] = (char)('0' + rnd() % 10);
        s[n++] = ' ';
    }
    *len = n;
}

static void make_docs(struct doc *d)
{
    for (int i = 0; i < NDOC; i++) {
        d[i].nlines = LINES - (int)(rnd() % 20);
        for (int j = 0; j < d[i].nlines; j++) {
            if (i > 0 && i % 5 == 0 && j < d[i - 1].nlines && rnd() % 10 < 8) {
                memcpy(d[i].text[j], d[i - 1].text[j], MAXLINE);
                d[i].len[j] = d[i - 1].len[j];
            } else {
                make_line(d[i].text[j], &d[i].len[j]);
            }
        }
    }
}

/* All K hashes of a line advance together: K independent chains per byte. */
static void signature(const struct doc *d, uint32_t *sig)
{
    uint32_t best[K];
    for (int k = 0; k < K; k++)
        best[k] = UINT32_MAX;
    for (int j = 0; j < d->nlines; j++) {
        const unsigned char *s = (const unsigned char *)d->text[j];
        int len = d->len[j];
        uint32_t h[K];
        for (int k = 0; k < K; k++)
            h[k] = seed[k];
        for (int i = 0; i < len; i++) {
            uint32_t c = s[i];
            for (int k = 0; k < K; k++)
                h[k] = (h[k] ^ c) * 16777619u;
        }
        for (int k = 0; k < K; k++) {
            uint32_t v = h[k] ^ (h[k] >> 15);
            best[k] = v < best[k] ? v : best[k];
        }
    }
    memcpy(sig, best, sizeof best);
}

int main(void)
{
    struct doc *docs = calloc(NDOC, sizeof *docs);
    uint32_t (*sig)[K] = malloc(NDOC * sizeof *sig);
    if (!docs || !sig)
        return 1;
    for (int k = 0; k < K; k++)
        seed[k] = 2166136261u ^ (rnd() * 2654435761u);
    make_docs(docs);
    for (int i = 0; i < NDOC; i++)
        signature(&docs[i], sig[i]);

    long hist[K + 1] = { 0 };
    uint32_t fold = 0;
    for (int i = 0; i < NDOC; i++) {
        for (int k = 0; k < K; k++)
            fold = fold * 31 + sig[i][k];
        for (int j = i > 8 ? i - 8 : 0; j < i; j++) {
            int same = 0;
            for (int k = 0; k < K; k++)
                same += sig[i][k] == sig[j][k];
            hist[same]++;
        }
    }
    printf("fold %08x sig %08x %08x\n", fold, sig[0][0], sig[NDOC - 1][K - 1]);
    for (int k = 0; k <= K; k++)
        if (hist[k])
            printf("agree %d pairs %ld\n", k, hist[k]);
    free(docs);
    free(sig);
    return 0;
}
