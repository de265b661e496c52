/* The example of the lecture on blocking: a two-dimensional Laplacian of 16 x 8 points.
 *
 * In a cache of 12 lines of four elements, the three rows that a row of results needs, five lines each, do not stay:
 * 8 x 15 misses. With the inner loop in blocks of four, each block reads two lines of each of ten rows: 4 x 20. With both
 * loops in blocks of four, neighbouring blocks share the lines between them as well: 60.
 *
 *   loopwright map --exhaustive --cache 12x32:full -- ./laplacian
 */
#include <stdio.h>

/* Rows of 20 elements, so that each begins a line of four. */
enum { ROW = 20 };
static _Alignas(64) double field[10][ROW];

#define POINT(u, j, i) (u[j][i - 1] + u[j][i + 1] - 4 * u[j][i] + u[j - 1][i] + u[j + 1][i])

/* The results stay in a register, so that nothing but `u` is in the cache. */
__attribute__((noinline)) double unblocked(double (*u)[ROW])
{
    double a = 0;
    for (int j = 1; j <= 8; j++)
        for (int i = 1; i <= 16; i++)
            a += POINT(u, j, i);
    return a;
}

__attribute__((noinline)) double inner_blocked(double (*u)[ROW])
{
    double a = 0;
    for (int ib = 1; ib <= 16; ib += 4)
        for (int j = 1; j <= 8; j++)
            for (int i = ib; i < ib + 4; i++)
                a += POINT(u, j, i);
    return a;
}

__attribute__((noinline)) double both_blocked(double (*u)[ROW])
{
    double a = 0;
    for (int jb = 1; jb <= 8; jb += 4)
        for (int ib = 1; ib <= 16; ib += 4)
            for (int j = jb; j < jb + 4; j++)
                for (int i = ib; i < ib + 4; i++)
                    a += POINT(u, j, i);
    return a;
}

int main(void)
{
    for (int j = 0; j < 10; j++)
        for (int i = 0; i < ROW; i++)
            field[j][i] = i * i + j;
    printf("%g %g %g\n", unblocked(field), inner_blocked(field), both_blocked(field));
    return 0;
}
