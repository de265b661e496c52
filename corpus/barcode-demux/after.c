/* Demultiplexes sequencing reads: each read starts with a sample barcode that
 * may contain errors; it goes to the barcode of smallest edit distance, if
 * that distance is small enough and unique. */
#include <stdint.h>
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

/* Bit-parallel edit distance (Myers/Hyyro): a column of the DP matrix is held
 * as two words of vertical +1/-1 differences and advanced in a few word
 * operations. peq[c] marks the positions of c in the barcode. */
static uint32_t peq[NBAR][256];

static void make_peq(void)
{
    for (int b = 0; b < NBAR; b++)
        for (int i = 0; i < BLEN; i++)
            peq[b][(unsigned char)barcode[b][i]] |= 1u << i;
}

static int edit_distance(const uint32_t *eqs, const char *text, int n)
{
    const uint32_t last = 1u << (BLEN - 1);
    uint32_t pv = ~0u, mv = 0;
    int score = BLEN;
    for (int j = 0; j < n; j++) {
        uint32_t eq = eqs[(unsigned char)text[j]];
        uint32_t xv = eq | mv;
        uint32_t xh = (((eq & pv) + pv) ^ pv) | eq;
        uint32_t ph = mv | ~(xh | pv);
        uint32_t mh = pv & xh;
        score += (ph & last) != 0;
        score -= (mh & last) != 0;
        ph = ph << 1 | 1;
        mh <<= 1;
        pv = mh | ~(xv | ph);
        mv = ph & xv;
    }
    return score;
}

static int assign(const char *read, int n, int *distance)
{
    int best = BLEN + MAXW, who = -1;
    for (int b = 0; b < NBAR; b++) {
        int d = edit_distance(peq[b], read, n);
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
    make_peq();
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
