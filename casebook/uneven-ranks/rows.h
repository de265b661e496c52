/* How rows are dealt out: the number of the k-th row of a rank, n or more where it has no further one. */
int row_of(int rank, int ranks, int n, int k);
