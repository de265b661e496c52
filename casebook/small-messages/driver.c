/* Heat in the wall of a pipe that is divided into strips of rows, one for each rank, around the pipe. Before each step a
 * rank needs the rows of its neighbours that touch its own; after it all ranks know the largest change. */
#include "case.h"
#include "pipe.h"

#include <math.h>
#include <mpi.h>

/* One step inside of the strip; the ends of the pipe stay. Returns the largest change. */
static double smooth(const double *old, double *new, int rows, int columns)
{
    double largest = 0;
    for (int row = 1; row <= rows; row++) {
        const double *at = old + (size_t)row * columns;
        double *to = new + (size_t)row * columns;
        for (int i = 1; i < columns - 1; i++) {
            to[i] = 0.25 * (at[i - 1] + at[i + 1] + at[i - columns] + at[i + columns]);
            largest = fmax(largest, fabs(to[i] - at[i]));
        }
    }
    return largest;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rows = (int)case_option(argc, argv, "--rows", 16);
    int columns = (int)case_option(argc, argv, "--columns", 512);
    int steps = (int)case_option(argc, argv, "--steps", 10);

    /* The rows of the strip, and one of each neighbour; a part of the pipe is hot. */
    size_t cells = (size_t)(rows + 2) * (size_t)columns;
    double *old = case_memory(cells, sizeof *old), *new = case_memory(cells, sizeof *new);
    for (int i = 0; rank == 0 && i < columns; i++)
        old[columns + i] = 1.0 + 0.5 * sin(0.1 * i);
    memcpy(new, old, cells * sizeof *new);

    double change = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        exchange(old, rows, columns, rank, ranks);
        double own = smooth(old, new, rows, columns);
        MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        double *swap = old;
        old = new;
        new = swap;
    }
    double seconds = MPI_Wtime() - start;

    double own = 0, sum = 0;
    for (size_t i = (size_t)columns; i < cells - (size_t)columns; i++)
        own += old[i];
    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        case_print("seconds", seconds);
        case_print("sum", sum);
        case_print("change", change);
    }
    MPI_Finalize();
    return 0;
}
