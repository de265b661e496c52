/* Particles of all ranks are written to one file, a record of 64 bytes each, in the order of the ranks. Afterwards the
 * first rank reads the file and adds up what is in it. */
#include "case.h"
#include "output.h"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

/* Sums over the file: all values, and each value times its place modulo a prime; whole numbers, so that they are exact. */
static void check(int file, double *sum, double *ordered)
{
    struct record record;
    *sum = *ordered = 0;
    if (lseek(file, 0, SEEK_SET) < 0)
        fail("cannot go to the begin of the file");
    FILE *from = fdopen(dup(file), "r");
    for (long at = 0; from && fread(&record, sizeof record, 1, from) == 1; at++)
        for (int i = 0; i < 8; i++) {
            *sum += record.value[i];
            *ordered += record.value[i] * (double)((8 * at + i) % 8191);
        }
    if (from)
        fclose(from);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long n = case_option(argc, argv, "--n", 1000);
    int steps = (int)case_option(argc, argv, "--steps", 1);
    struct record *own = case_memory((size_t)n, sizeof *own);
    uint64_t state = (uint64_t)rank + 1;
    for (long i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            own[i].value[k] = (double)(long)(1000.0 * case_random(&state));

    /* The first rank makes the file, the others open it by its name. */
    const char *folder = getenv("TMPDIR");
    char name[4096] = "";
    int file = -1;
    if (rank == 0) {
        snprintf(name, sizeof name, "%s/particles-XXXXXX", folder && *folder ? folder : "/tmp");
        file = mkstemp(name);
    }
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank != 0)
        file = open(name, O_WRONLY);
    if (file < 0)
        fail(name);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++)
        output(file, own, n, rank, ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - start;

    if (rank == 0) {
        double sum, ordered;
        check(file, &sum, &ordered);
        unlink(name);
        case_print("seconds", seconds);
        case_print("bytes", (double)sizeof *own * (double)n * ranks * steps);
        case_print("sum", sum);
        case_print("ordered", ordered);
    }
    MPI_Finalize();
    return 0;
}
