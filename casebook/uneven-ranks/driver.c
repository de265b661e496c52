/* Potential energy of charges that move outwards: row i is charge i with all those before it, and each rank sums its rows. */
#include "case.h"
#include "rows.h"

#include <math.h>
#include <mpi.h>

/* The energy of a charge with those before it. */
static double row(const double *x, const double *y, const double *z, int i)
{
    double sum = 0;
    for (int j = 0; j < i; j++) {
        double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
        sum += 1.0 / sqrt(dx * dx + dy * dy + dz * dz + 1e-3);
    }
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int n = (int)case_option(argc, argv, "--n", 1000);
    int steps = (int)case_option(argc, argv, "--steps", 10);
    double *x = case_memory((size_t)n, sizeof *x), *y = case_memory((size_t)n, sizeof *y);
    double *z = case_memory((size_t)n, sizeof *z);
    uint64_t state = 1;
    for (int i = 0; i < n; i++) {
        x[i] = case_random(&state);
        y[i] = case_random(&state);
        z[i] = case_random(&state);
    }

    double energy = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        double own = 0;
        for (int k = 0, i = 0; (i = row_of(rank, ranks, n, k)) < n; k++)
            own += row(x, y, z, i);
        MPI_Allreduce(&own, &energy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        /* The charges move outwards the faster, the more energy there is. */
        double factor = 1.0 + 1e-3 * energy / ((double)n * n);
        for (int i = 0; i < n; i++) {
            x[i] *= factor;
            y[i] *= factor;
            z[i] *= factor;
        }
    }
    double seconds = MPI_Wtime() - start;

    if (rank == 0) {
        case_print("seconds", seconds);
        case_print("flop", 10.0 * 0.5 * (double)n * (n - 1) * steps);
        case_print("energy", energy);
    }
    MPI_Finalize();
    return 0;
}
