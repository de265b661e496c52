/* Calls of MPI whose counts, bytes and receivers follow from the source, for four ranks. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf before;

static void leave(MPI_Comm *communicator, int *error, ...)
{
    (void)communicator, (void)error;
    longjmp(before, 1);
}

int main(int argc, char **argv)
{
    int rank, size, ints[64] = {0}, others[64], n[4], at[4], one[4] = {3, 3, 3, 3};
    double in[16] = {0}, out[16] = {0};
    char bytes[128] = {0}, more[128];
    MPI_Comm part, pair;
    MPI_Request requests[4];
    MPI_Datatype five, chars[4] = {MPI_CHAR, MPI_CHAR, MPI_CHAR, MPI_CHAR};
    MPI_Errhandler handler;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < 5; k++)
        MPI_Sendrecv(in, 10, MPI_DOUBLE, (rank + 1) % 4, 0, out, 10, MPI_DOUBLE, (rank + 3) % 4, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    /* Ranks of a part are in the opposite order. */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
    int own;
    MPI_Comm_rank(part, &own);
    for (int k = 0; k < 2; k++) {
        MPI_Irecv(more, 7, MPI_CHAR, 1 - own, 0, part, &requests[0]);
        MPI_Isend(bytes, 7, MPI_CHAR, 1 - own, 0, part, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_free(&part);
    /* The library may give the same handle to other ranks. */
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    MPI_Comm_rank(pair, &own);
    MPI_Irecv(more, 100, MPI_BYTE, 1 - own, 0, pair, &requests[0]);
    MPI_Send(bytes, 100, MPI_BYTE, 1 - own, 0, pair);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Send_init(bytes, 40, MPI_CHAR, 1 - own, 1, pair, &requests[0]);
    MPI_Recv_init(more, 40, MPI_CHAR, 1 - own, 1, pair, &requests[1]);
    for (int k = 0; k < 6; k++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Type_contiguous(5, MPI_INT, &five);
    MPI_Type_commit(&five);
    MPI_Irecv(others, 2, five, 1 - own, 2, pair, &requests[0]);
    MPI_Ssend(ints, 2, five, 1 - own, 2, pair);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Bsend(ints, 1, MPI_INT, MPI_PROC_NULL, 0, pair);

    MPI_Bcast(ints, 8, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, out, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int k = 0; k < 4; k++)
        n[k] = k + 1, at[k] = 8 * k;
    MPI_Gatherv(ints, rank + 1, MPI_INT, others, n, at, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(ints, 2, MPI_INT, others, 2, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Scatterv(ints, n, at, MPI_INT, others, rank + 1, MPI_INT, 3, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, bytes, 4, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ints, n, at, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(in, 2, MPI_FLOAT, out, 2, MPI_FLOAT, MPI_COMM_WORLD);
    for (int k = 0; k < 4; k++)
        n[k] = 2, at[k] = 2 * k;
    MPI_Alltoallv(ints, n, at, MPI_INT, others, n, at, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallw(bytes, one, at, chars, more, one, at, chars, MPI_COMM_WORLD);
    MPI_Reduce(in, out, 16, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scan(ints, others, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iallreduce(ints, others, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Win_create(others, sizeof others, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(ints, 4, MPI_INT, (rank + 1) % 4, 0, 4, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);

    /* A call that does not return. */
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (setjmp(before) == 0)
        MPI_Rsend(ints, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, %g\n", size, out[0]);
    MPI_Finalize();
    return 0;
}
