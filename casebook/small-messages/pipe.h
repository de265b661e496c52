/* A strip of the pipe: rows 1 to `rows` are the rank's own, rows 0 and rows + 1 those of the ranks before and after it,
 * around the pipe. */

/* Sends the first and the last own row, and receives those of the neighbours. */
void exchange(double *strip, int rows, int columns, int rank, int ranks);
