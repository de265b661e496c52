/* The first rank writes everything, the records of a rank with one call; the others send it what they have. */
#include "output.h"

#include <mpi.h>
#include <unistd.h>

static void append(int file, const struct record *records, long n)
{
    ssize_t bytes = (ssize_t)(n * (long)sizeof *records);
    if (write(file, records, (size_t)bytes) != bytes)
        fail("cannot write the records of a rank");
}

void output(int file, const struct record *own, long n, int rank, int ranks)
{
    int bytes = (int)(n * (long)sizeof *own);
    if (rank != 0) {
        MPI_Send(own, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        return;
    }
    if (lseek(file, 0, SEEK_SET) < 0)
        fail("cannot go to the begin of the file");
    append(file, own, n);
    struct record *other = malloc((size_t)bytes);
    for (int from = 1; other && from < ranks; from++) {
        MPI_Recv(other, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        append(file, other, n);
    }
    if (!other)
        fail("no memory for the records of another rank");
    free(other);
}
