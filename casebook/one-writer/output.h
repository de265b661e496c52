/* What is written of a particle, and how: each step writes all particles over those of the step before. */
#include <stdio.h>
#include <stdlib.h>

struct record {
    double value[8];
};

/* Writes the n records of each rank, those of rank 0 first. All ranks have the file open. */
void output(int file, const struct record *own, long n, int rank, int ranks);

/* Ends the program on all ranks. */
static inline void fail(const char *what)
{
    perror(what);
    exit(1);
}
