/* Each rank has as many rows as the others, one after the other; rows become longer, and so the last rank has most to do. */
#include "rows.h"

int row_of(int rank, int ranks, int n, int k)
{
    int first = (int)((long)rank * n / ranks), end = (int)((long)(rank + 1) * n / ranks);
    return first + k < end ? first + k : n;
}
