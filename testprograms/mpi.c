// PROGRAM compilers=mpicc
//
// An MPI program: every rank works on its part of a chain, rank 0 on twice as much, and a reduction joins them, so
// that the other ranks wait. Usage: mpirun -n 2 mpi [SECONDS, default 0.5]. Rank 0 prints `ranks COUNT`,
// every rank `rank R CPU_SECONDS`.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 4000 };
static double x[N], y[N];

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static double local_work(int rank) {
    for (int i = 1; i < N; i++) x[i] = 0.5 * x[i - 1] + y[i] * rank; // LOOP name=local_work class=recurrence
    return x[N - 1];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double seconds = argc > 1 ? strtod(argv[1], 0) : 0.5;
    for (int i = 0; i < N; i++) y[i] = (i * 37 % 101) / 101.0;
    double start = cpu_seconds(), mine = 0, all = 0;
    while (cpu_seconds() - start < (rank == 0 ? seconds : seconds / 2)) mine += local_work(rank + 1);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("ranks %d\n", ranks);
    printf("rank %d %.6f\n", rank, cpu_seconds());
    MPI_Finalize();
    return all < 0;
}
