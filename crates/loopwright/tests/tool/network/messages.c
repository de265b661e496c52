/* Ranks are points of a periodic lattice of 8 columns; each step every rank exchanges COUNT messages of BYTES with each of its four
 * neighbours, or one message with the same bytes. MODE is `exchange` (each message is waited for) or `burst` (all are begun, then
 * waited for). Rank 0 prints the seconds of all steps. Usage: messages MODE BYTES COUNT joined|single STEPS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, columns = 8;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int burst = !strcmp(argv[1], "burst"), bytes = atoi(argv[2]), count = atoi(argv[3]), steps = atoi(argv[5]);
    if (!strcmp(argv[4], "joined")) {
        bytes *= count;
        count = 1;
    }
    int row = rank / columns, column = rank % columns, rows = ranks / columns;
    int to[4] = {
        row * columns + (column + 1) % columns,
        row * columns + (column + columns - 1) % columns,
        (row + 1) % rows * columns + column,
        (row + rows - 1) % rows * columns + column,
    };
    char *sent = calloc(1, bytes), *received = calloc(1, bytes);
    MPI_Request *all = malloc(8 * (size_t)count * sizeof *all);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        int begun = 0;
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < count; k++) {
                if (burst) {
                    MPI_Irecv(received, bytes, MPI_BYTE, to[i ^ 1], 0, MPI_COMM_WORLD, &all[begun++]);
                    MPI_Isend(sent, bytes, MPI_BYTE, to[i], 0, MPI_COMM_WORLD, &all[begun++]);
                } else {
                    MPI_Sendrecv(sent, bytes, MPI_BYTE, to[i], 0, received, bytes, MPI_BYTE, to[i ^ 1], 0, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE);
                }
            }
        if (burst)
            MPI_Waitall(begun, all, MPI_STATUSES_IGNORE);
    }
    double seconds = MPI_Wtime() - begin;
    if (rank == 0)
        printf("seconds %.9f\n", seconds);
    MPI_Finalize();
    return 0;
}
