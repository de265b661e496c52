/* The last rank computes and writes while the others wait for it. With -DALONE it is a program without MPI. */
#include <stdio.h>
#ifdef ALONE
#define MPI_Init(a, b)
#define MPI_Finalize()
#else
#include <mpi.h>
#endif

static volatile double sink;

static void work(long n) {
    double sum = 0;
    for (long k = 1; k < n; k++) sum += 1.0 / (double)k;
    sink = sum;
}

int main(int argc, char **argv) {
    int rank = 0, size = 1;
    (void)argc, (void)argv;
    MPI_Init(&argc, &argv);
#ifndef ALONE
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#endif
    for (int step = 0; step < 10; step++) {
        if (rank == size - 1) {
            work(20 * 1000 * 1000);
            FILE *out = fopen("uneven.out", "w");
            setvbuf(out, 0, _IONBF, 0);
            for (int k = 0; k < 40 * 1000; k++) fputs("a small piece\n", out);
            fclose(out);
        }
#ifndef ALONE
        MPI_Barrier(MPI_COMM_WORLD);
#endif
    }
    if (rank == 0) printf("done %d\n", size);
    MPI_Finalize();
    return 0;
}
