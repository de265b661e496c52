/* Rows are dealt out in turn: each rank has short and long ones. */
#include "rows.h"

int row_of(int rank, int ranks, int n, int k)
{
    int row = rank + k * ranks;
    return row < n ? row : n;
}
