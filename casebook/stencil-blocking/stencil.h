/* Shared by the driver and all stages. */
#ifndef STENCIL_H
#define STENCIL_H

/* Points along each direction, with the border; `x` is the contiguous direction. */
struct grid {
    long x, y, z;
};

/* Points of a block along the outer and the inner one of the two blocked loops. */
struct block {
    long outer, inner;
};

/* Default of a stage. */
extern const struct block usual;

/* v = the relaxed u, for all points but the border. */
void relax(struct grid g, struct block b, const double *restrict u, double *restrict v);

/* Points of the longest row. */
enum { LONGEST = 2050 };

/* The points first..last-1 of the row that begins at v: each is a weighted sum of the 27 points of u around it, by
 * contact at a face, an edge or a corner. Each sum over the neighbouring rows serves three points, as in the
 * multigrid solver of the NAS benchmarks. */
static inline void relax_row(struct grid g, const double *restrict u, double *restrict v, long first, long last)
{
    const long n = g.x, q = g.x * g.y;
    /* Static: compilers do not inline functions with large frames. */
    static double beside[LONGEST], across[LONGEST];
    for (long i = first - 1; i < last + 1; i++) {
        beside[i] = u[i - n] + u[i + n] + u[i - q] + u[i + q];
        across[i] = u[i - q - n] + u[i - q + n] + u[i + q - n] + u[i + q + n];
    }
    for (long i = first; i < last; i++)
        v[i] = 0.5 * u[i] + 0.03125 * (u[i - 1] + u[i + 1] + beside[i]) +
               0.015625 * (beside[i - 1] + beside[i + 1] + across[i] + across[i - 1] + across[i + 1]);
}

static inline long lesser(long a, long b)
{
    return a < b ? a : b;
}

#endif
