/* Calls of MPI whose counts and bytes follow from the source: the first rank works longer, all others wait for it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    double sum = 0, all = 0, in[8] = {0}, out[8] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < 10; k++) {
        MPI_Sendrecv(out, 8, MPI_DOUBLE, (rank + 1) % size, 0, in, 8, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (long i = 0; rank == 0 && i < 2000000; i++)
            sum += 1.0 / (i + 1);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d ranks %.3f\n", size, all);
    MPI_Finalize();
    return 0;
}
