#include <stddef.h>
#include <stdlib.h>

#include "grid.h"

/* to = (after - before) * factor, over a row. */
static void central(int n, const double *after, const double *before, double factor, double *restrict to)
{
    for (int i = 0; i < n; i++)
        to[i] = (after[i] - before[i]) * factor;
}

/* At a border: a difference of second order from the two rows at `step` and twice `step` inwards. */
static void one_sided(int n, const double *a, ptrdiff_t step, double factor, double *restrict to)
{
    for (int i = 0; i < n; i++)
        to[i] = (-3 * a[i] + 4 * a[i + step] - a[i + 2 * step]) * factor;
}

/* Across the row: one test for all of its points. */
static void across(int n, const double *a, ptrdiff_t step, int place, int places, double factor, double *to)
{
    if (place == 0)
        one_sided(n, a, step, factor, to);
    else if (place == places - 1)
        one_sided(n, a, -step, -factor, to);
    else
        central(n, a + step, a - step, factor, to);
}

/* Along the row: its two end points are computed outside the loop. */
static void along(int n, const double *a, double factor, double *to)
{
    one_sided(1, a, 1, factor, to);
    central(n - 2, a + 2, a, factor, to + 1);
    one_sided(1, a + n - 1, -1, -factor, to + n - 1);
}

/* Nine rows of differences: v[coordinate][direction]. */
static void invert(int n, double *const v[3][3], double *restrict inverse)
{
    const double *xi = v[0][0], *xj = v[0][1], *xk = v[0][2];
    const double *yi = v[1][0], *yj = v[1][1], *yk = v[1][2];
    const double *zi = v[2][0], *zj = v[2][1], *zk = v[2][2];
    for (int i = 0; i < n; i++) {
        double determinant = xj[i] * yk[i] * zi[i] + yj[i] * zk[i] * xi[i] + zj[i] * xk[i] * yi[i]
                           - xj[i] * zk[i] * yi[i] - yj[i] * xk[i] * zi[i] - zj[i] * yk[i] * xi[i];
        inverse[i] = 1 / (determinant + tiny);
    }
}

void jacobian(grid g, const double *restrict x, const double *restrict y, const double *restrict z,
              double *restrict inverse)
{
    const ptrdiff_t row = g.columns, layer = row * g.rows;
    const double *const coordinates[3] = {x, y, z};
    double *memory = malloc(9 * (size_t)row * sizeof *memory);
    if (!memory)
        abort();
    double *v[3][3];
    for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++)
            v[c][d] = memory + (3 * c + d) * row;
    for (int j = 0; j < g.rows; j++)
        for (int k = 0; k < g.layers; k++) {
            const ptrdiff_t first = k * layer + j * row;
            for (int c = 0; c < 3; c++) {
                const double *a = coordinates[c] + first;
                along(g.columns, a, g.per_column, v[c][0]);
                across(g.columns, a, row, j, g.rows, g.per_row, v[c][1]);
                across(g.columns, a, layer, k, g.layers, g.per_layer, v[c][2]);
            }
            invert(g.columns, v, inverse + first);
        }
    free(memory);
}
