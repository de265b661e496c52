/* Rows by pointers: place[cell][0..2], each row a separate allocation. */
extern double **place, **movement;
extern int *type;

double **rows_new(int rows, int columns);
