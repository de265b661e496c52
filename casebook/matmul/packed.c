/* c += a b as libraries do it (K. Goto, R. van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS 34(3),
 * 2008): a tile of c stays in registers while a strip of a and one of b are processed, and both strips were copied into the
 * order in which they are read. Per multiply-add the micro-kernel loads a fraction of a vector, where the plain loop
 * loads two and stores one. */
#include "case.h"

/* The tile: its sums and a row of b must fit into the vector registers, 32 of eight doubles or 16 of four, and there must
 * be enough sums in flight to hide the latency of a multiply-add. */
#ifdef __AVX512F__
enum { LANES = 8, ROWS = 8, COLUMNS = 16 };
#else
enum { LANES = 4, ROWS = 4, COLUMNS = 8 };
#endif
typedef double vector __attribute__((vector_size(LANES * sizeof(double))));
enum { VECTORS = COLUMNS / LANES };
/* A strip of b (KEEP x COLUMNS) stays in L1, a block of a (HEIGHT x KEEP) in L2. */
enum { KEEP = 256, HEIGHT = 128 };

static long smaller(long x, long y)
{
    return x < y ? x : y;
}

/* Copies a block of a, ROWS rows next to each other, zeros beyond its end. */
static void pack_a(const double *restrict a, double *restrict packed, long n, long height, long keep)
{
    for (long i = 0; i < height; i += ROWS)
        for (long k = 0; k < keep; k++)
            for (long r = 0; r < ROWS; r++)
                *packed++ = i + r < height ? a[(i + r) * n + k] : 0;
}

/* Copies KEEP rows of b, COLUMNS columns next to each other, zeros beyond its end. */
static void pack_b(const double *restrict b, double *restrict packed, long n, long keep)
{
    for (long j = 0; j < n; j += COLUMNS)
        for (long k = 0; k < keep; k++)
            for (long column = 0; column < COLUMNS; column++)
                *packed++ = j + column < n ? b[k * n + j + column] : 0;
}

/* The same for a matrix, not aligned. */
typedef double loose_vector __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/* The micro-kernel: adds the product of two packed strips to a tile of c, the part of it that exists. */
static void tile(const double *restrict a, const double *restrict b, double *restrict c, long n, long keep, long rows,
                 long columns)
{
    vector sum[ROWS][VECTORS] = {{{0}}};
    for (long k = 0; k < keep; k++)
        for (int r = 0; r < ROWS; r++)
            for (int v = 0; v < VECTORS; v++)
                sum[r][v] += a[k * ROWS + r] * *(const vector *)(b + k * COLUMNS + v * LANES);
    if (rows == ROWS && columns == COLUMNS) {
        for (int r = 0; r < ROWS; r++)
            for (int v = 0; v < VECTORS; v++)
                *(loose_vector *)(c + r * n + v * LANES) += sum[r][v];
        return;
    }
    for (long r = 0; r < rows; r++)
        for (long column = 0; column < columns; column++)
            c[r * n + column] += sum[r][column / LANES][column % LANES];
}

void multiply(const double *a, const double *b, double *c, int n)
{
    long strips = (n + COLUMNS - 1) / COLUMNS;
    double *packed_a = case_memory((size_t)HEIGHT * KEEP, sizeof *packed_a);
    double *packed_b = case_memory((size_t)(strips * COLUMNS * KEEP), sizeof *packed_b);
    for (long k = 0; k < n; k += KEEP) {
        long keep = smaller(KEEP, n - k);
        pack_b(b + k * n, packed_b, n, keep);
        for (long i = 0; i < n; i += HEIGHT) {
            long height = smaller(HEIGHT, n - i);
            pack_a(a + i * n + k, packed_a, n, height, keep);
            for (long j = 0; j < n; j += COLUMNS)
                for (long r = 0; r < height; r += ROWS)
                    tile(packed_a + r * keep, packed_b + j * keep, c + (i + r) * n + j, n, keep, smaller(ROWS, height - r),
                         smaller(COLUMNS, n - j));
        }
    }
    free(packed_a);
    free(packed_b);
}
