/* Demultiplexes sequencing reads: each read starts with a sample barcode that
 * may contain errors; it goes to the barcode of smallest edit distance, if
 * that distance is small enough and unique. */
#include <stdio.h>

#define NBAR 96
#define BLEN 24
#define NREAD 16000
#define MAXW 32
#define LIMIT 6

static unsigned long long rng_state = 31337;
static unsigned rnd(void)
{
    rng_state = rng_state * 2862933555777941757ULL + 3037000493ULL;
    return (unsigned)(rng_state >> 35);
}

static char barcode[NBAR][BLEN + 1];

static void make_barcodes(void)
{
    for (int b = 0; b < NBAR; b++) {
        for (int i = 0; i < BLEN; i++)
            barcode[b][i] = "ACGT"[rnd() % 4];
        barcode[b][BLEN] = 0;
    }
}

/* Copies barcode b with substitutions, insertions and deletions. */
static int mutate(int b, char *out)
{
    int n = 0;
    for (int i = 0; i < BLEN && n < MAXW - 2; i++) {
        unsigned x = rnd() % 100;
        if (x < 5)
            continue;
        if (x < 10)
            out[n++] = "ACGT"[rnd() % 4];
        if (x < 17)
            out[n++] = "ACGT"[rnd() % 4];
        else
            out[n++] = barcode[b][i];
    }
    out[n] = 0;
    return n;
}

static int min3(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

static int edit_distance(const char *a, int na, const char *b, int nb)
{
    int row[MAXW + 1];
    for (int j = 0; j <= nb; j++)
        row[j] = j;
    for (int i = 1; i <= na; i++) {
        int diag = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int up = row[j];
            int cost = a[i - 1] != b[j - 1];
            row[j] = min3(up + 1, row[j - 1] + 1, diag + cost);
            diag = up;
        }
    }
    return row[nb];
}

static int assign(const char *read, int n, int *distance)
{
    int best = BLEN + MAXW, who = -1;
    for (int b = 0; b < NBAR; b++) {
        int d = edit_distance(barcode[b], BLEN, read, n);
        if (d < best) {
            best = d;
            who = b;
        } else if (d == best) {
            who = -1;
        }
    }
    *distance = best;
    return best <= LIMIT ? who : -1;
}

int main(void)
{
    long count[NBAR] = { 0 }, unassigned = 0, right = 0;
    long hist[BLEN + MAXW] = { 0 };
    make_barcodes();
    for (int r = 0; r < NREAD; r++) {
        char read[MAXW + 1];
        int truth = (int)(rnd() % NBAR);
        int n = mutate(truth, read);
        int d;
        int b = assign(read, n, &d);
        hist[d]++;
        if (b < 0)
            unassigned++;
        else
            count[b]++;
        right += b == truth;
    }
    printf("right %ld unassigned %ld\n", right, unassigned);
    for (int d = 0; d < BLEN + MAXW; d++)
        if (hist[d])
            printf("distance %d: %ld\n", d, hist[d]);
    for (int b = 0; b < NBAR; b += 7)
        printf("%s %ld\n", barcode[b], count[b]);
    return 0;
}
