/* Columns of air on a periodic lattice of ranks: in each step the winds of a rank's columns are smoothed with those around
 * them, for which the ranks exchange the outermost columns of their part with four neighbours. */
#include "case.h"

#include <mpi.h>

enum { NEIGHBOURS = 4 };

/* A part of the lattice: side x side columns of `levels` values, and the columns of the neighbours around it. */
struct part {
    int side, levels;
    double *values;
};

static double *column(const struct part *part, int row, int at)
{
    return part->values + ((size_t)row * (size_t)(part->side + 2) + (size_t)at) * (size_t)part->levels;
}

/* Each column becomes the mean of itself and the four around it. */
static void smooth(const struct part *old, struct part *new)
{
    for (int row = 1; row <= old->side; row++)
        for (int at = 1; at <= old->side; at++) {
            const double *own = column(old, row, at), *left = column(old, row, at - 1);
            const double *right = column(old, row, at + 1), *up = column(old, row - 1, at);
            const double *down = column(old, row + 1, at);
            double *to = column(new, row, at);
            for (int level = 0; level < old->levels; level++)
                to[level] = 0.2 * (own[level] + left[level] + right[level] + up[level] + down[level]);
        }
}

/* Copies the columns at an edge into a message, or a message into the columns beside it: left, right, upper, lower. */
static void edge(const struct part *part, int neighbour, int outside, double *message, int put)
{
    size_t bytes = (size_t)part->levels * sizeof *message;
    int low = outside ? 0 : 1, high = outside ? part->side + 1 : part->side;
    for (int i = 1; i <= part->side; i++) {
        double *own = neighbour < 2 ? column(part, i, neighbour == 0 ? low : high)
                                    : column(part, neighbour == 2 ? low : high, i);
        double *other = message + (size_t)(i - 1) * (size_t)part->levels;
        memcpy(put ? own : other, put ? other : own, bytes);
    }
}

/* Writes how many messages and bytes each rank sent to which, for `loopwright place`. */
static void write_matrix(const char *file, const long *messages, long bytes, int rank, int ranks)
{
    long *all = case_memory((size_t)ranks * (size_t)ranks, sizeof *all);
    MPI_Gather(messages, ranks, MPI_LONG, all, ranks, MPI_LONG, 0, MPI_COMM_WORLD);
    FILE *to = rank == 0 ? fopen(file, "w") : NULL;
    if (to) {
        fprintf(to, "from,to,messages,bytes\n");
        for (int i = 0; i < ranks * ranks; i++)
            if (all[i])
                fprintf(to, "%d,%d,%ld,%ld\n", i / ranks, i % ranks, all[i], all[i] * bytes);
    }
    if (rank == 0 && (!to || fclose(to))) {
        perror(file);
        exit(1);
    }
    free(all);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int wide = (int)case_option(argc, argv, "--wide", 16), high = ranks / wide;
    int side = (int)case_option(argc, argv, "--side", 4), levels = (int)case_option(argc, argv, "--levels", 16);
    int steps = (int)case_option(argc, argv, "--steps", 1);
    if (wide < 1 || wide * high != ranks) {
        fprintf(stderr, "%d ranks make no lattice that is %d wide\n", ranks, wide);
        return 2;
    }

    int row = rank / wide, at = rank % wide;
    int to[NEIGHBOURS] = {
        row * wide + (at + wide - 1) % wide,
        row * wide + (at + 1) % wide,
        (row + high - 1) % high * wide + at,
        (row + 1) % high * wide + at,
    };
    size_t size = (size_t)(side + 2) * (size_t)(side + 2) * (size_t)levels, length = (size_t)side * (size_t)levels;
    struct part old = {side, levels, case_memory(size, sizeof(double))}, new = old;
    new.values = case_memory(size, sizeof(double));
    double *sent = case_memory(NEIGHBOURS * length, sizeof *sent), *got = case_memory(NEIGHBOURS * length, sizeof *got);
    long *messages = case_memory((size_t)ranks, sizeof *messages);
    uint64_t state = (uint64_t)rank + 1;
    for (int i = 0; i < side * side; i++)
        for (int level = 0; level < levels; level++)
            column(&old, i / side + 1, i % side + 1)[level] = case_random(&state);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        MPI_Request all[2 * NEIGHBOURS];
        /* What a neighbour sends to its left is what is on the right here: its tag is that of the other direction. */
        for (int i = 0; i < NEIGHBOURS; i++)
            MPI_Irecv(got + (size_t)i * length, (int)length, MPI_DOUBLE, to[i], i ^ 1, MPI_COMM_WORLD, &all[i]);
        for (int i = 0; i < NEIGHBOURS; i++) {
            edge(&old, i, 0, sent + (size_t)i * length, 0);
            MPI_Isend(sent + (size_t)i * length, (int)length, MPI_DOUBLE, to[i], i, MPI_COMM_WORLD,
                      &all[NEIGHBOURS + i]);
            messages[to[i]]++;
        }
        MPI_Waitall(2 * NEIGHBOURS, all, MPI_STATUSES_IGNORE);
        for (int i = 0; i < NEIGHBOURS; i++)
            edge(&old, i, 1, got + (size_t)i * length, 1);
        smooth(&old, &new);
        struct part swap = old;
        old = new;
        new = swap;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - start;

    double own[2] = {0, 0}, sums[2];
    for (int i = 0; i < side * side; i++)
        for (int level = 0; level < levels; level++) {
            double value = column(&old, i / side + 1, i % side + 1)[level];
            own[0] += value;
            own[1] += value * (double)((i * levels + level + rank) % 7919);
        }
    MPI_Reduce(own, sums, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], "--matrix"))
            write_matrix(argv[i + 1], messages, (long)(length * sizeof(double)), rank, ranks);
    if (rank == 0) {
        case_print("seconds", seconds);
        case_print("sum", sums[0]);
        case_print("weighted", sums[1]);
    }
    MPI_Finalize();
    return 0;
}
