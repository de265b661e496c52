/* Ranks are points of a periodic lattice of COLUMNS columns; each step every rank exchanges a message with its four neighbours. Rank 0
 * prints the seconds of all steps. Usage: halo COLUMNS BYTES STEPS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int columns = atoi(argv[1]), bytes = atoi(argv[2]), steps = atoi(argv[3]);
    int row = rank / columns, column = rank % columns, rows = ranks / columns;
    int to[4] = {
        row * columns + (column + 1) % columns,
        row * columns + (column + columns - 1) % columns,
        (row + 1) % rows * columns + column,
        (row + rows - 1) % rows * columns + column,
    };
    char *sent = calloc(1, bytes), *received = calloc(4, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        MPI_Request all[8];
        for (int i = 0; i < 4; i++)
            MPI_Irecv(received + (size_t)i * bytes, bytes, MPI_BYTE, to[i], 0, MPI_COMM_WORLD, &all[i]);
        for (int i = 0; i < 4; i++)
            MPI_Isend(sent, bytes, MPI_BYTE, to[i], 0, MPI_COMM_WORLD, &all[4 + i]);
        MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("seconds %.9f\n", MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
