/* c += a b in blocks: KEEP rows of b, COLUMNS wide, stay in the near caches while all rows of a are processed,
 * and a row of c stays in L1 while they are added to it. */
enum { KEEP = 64, COLUMNS = 256 };

static long smaller(long x, long y)
{
    return x < y ? x : y;
}

void multiply(const double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (long k_block = 0; k_block < n; k_block += KEEP)
        for (long j_block = 0; j_block < n; j_block += COLUMNS) {
            long k_end = smaller(k_block + KEEP, n), j_end = smaller(j_block + COLUMNS, n);
            for (long i = 0; i < n; i++)
                for (long k = k_block; k < k_end; k++)
                    for (long j = j_block; j < j_end; j++)
                        c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
}
