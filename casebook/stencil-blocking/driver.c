/* Relaxes a cube back and forth with a 27-point stencil, as multigrid solvers do on each of their grids. `--search 1` tries
 * sizes of blocks instead. */
#include "case.h"
#include "stencil.h"

/* Seconds of this number of sweeps; the grids are swapped after each. */
static double relaxing(struct grid g, struct block b, double **u, double **v, long sweeps)
{
    double start = case_seconds();
    for (long s = 0; s < sweeps; s++) {
        relax(g, b, *u, *v);
        double *kept = *u;
        *u = *v;
        *v = kept;
    }
    return case_seconds() - start;
}

/* Tries sizes of blocks, and prints the fastest. */
static void search(struct grid g, double **u, double **v, long sweeps)
{
    double best = 0;
    for (long outer = 8; outer <= 128; outer *= 2)
        for (long inner = 8; inner <= 512; inner *= 2) {
            double seconds = relaxing(g, (struct block){ outer, inner }, u, v, sweeps);
            int better = best == 0 || seconds < best;
            best = better ? seconds : best;
            printf("%ld x %ld: %.3f s%s\n", outer, inner, seconds, better ? ", the best so far" : "");
        }
}

int main(int argc, char **argv)
{
    struct grid g = { case_option(argc, argv, "--x", 34), case_option(argc, argv, "--y", 34),
                      case_option(argc, argv, "--z", 34) };
    struct block b = { case_option(argc, argv, "--outer", usual.outer), case_option(argc, argv, "--inner", usual.inner) };
    long sweeps = case_option(argc, argv, "--sweeps", 2);
    if (g.x > LONGEST || (usual.outer > 0 && (b.outer < 1 || b.inner < 1))) {
        fprintf(stderr, "%s: rows of at most %d points, blocks of at least 1 x 1\n", argv[0], LONGEST);
        return 2;
    }
    size_t points = (size_t)(g.x * g.y * g.z);
    double *u = case_memory(points, sizeof *u);
    double *v = case_memory(points, sizeof *v);
    uint64_t state = 1;
    for (size_t i = 0; i < points; i++)
        u[i] = v[i] = case_random(&state);

    if (case_option(argc, argv, "--search", 0) > 0) {
        search(g, &u, &v, sweeps);
        return 0;
    }
    double seconds = relaxing(g, b, &u, &v, sweeps);

    double sum = 0, squares = 0;
    for (size_t i = 0; i < points; i++) {
        sum += u[i];
        squares += u[i] * u[i];
    }
    double inside = g.x > 2 && g.y > 2 && g.z > 2 ? (double)(g.x - 2) * (double)(g.y - 2) * (double)(g.z - 2) : 0;
    case_print("seconds", seconds);
    case_print("flop", 30 * inside * (double)sweeps);
    case_print("bytes", 16 * inside * (double)sweeps);
    case_print("working_set", 16.0 * (double)points);
    case_print("sum", sum);
    case_print("squares", squares);
    return 0;
}
