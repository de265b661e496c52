#include <stddef.h>

#include "grid.h"

/* Each point tests three times whether it is at the lower border, at the upper one, or between. */
void jacobian(grid g, const double *restrict x, const double *restrict y, const double *restrict z,
              double *restrict inverse)
{
    const ptrdiff_t row = g.columns, layer = row * g.rows;
    for (int j = 0; j < g.rows; j++)
        for (int k = 0; k < g.layers; k++)
            for (int i = 0; i < g.columns; i++) {
                const ptrdiff_t p = k * layer + j * row + i;
                double xi, yi, zi, xj, yj, zj, xk, yk, zk;
                if (j == 0) {
                    xj = (-3 * x[p] + 4 * x[p + row] - x[p + 2 * row]) * g.per_row;
                    yj = (-3 * y[p] + 4 * y[p + row] - y[p + 2 * row]) * g.per_row;
                    zj = (-3 * z[p] + 4 * z[p + row] - z[p + 2 * row]) * g.per_row;
                } else if (j == g.rows - 1) {
                    xj = (3 * x[p] - 4 * x[p - row] + x[p - 2 * row]) * g.per_row;
                    yj = (3 * y[p] - 4 * y[p - row] + y[p - 2 * row]) * g.per_row;
                    zj = (3 * z[p] - 4 * z[p - row] + z[p - 2 * row]) * g.per_row;
                } else {
                    xj = (x[p + row] - x[p - row]) * g.per_row;
                    yj = (y[p + row] - y[p - row]) * g.per_row;
                    zj = (z[p + row] - z[p - row]) * g.per_row;
                }
                if (k == 0) {
                    xk = (-3 * x[p] + 4 * x[p + layer] - x[p + 2 * layer]) * g.per_layer;
                    yk = (-3 * y[p] + 4 * y[p + layer] - y[p + 2 * layer]) * g.per_layer;
                    zk = (-3 * z[p] + 4 * z[p + layer] - z[p + 2 * layer]) * g.per_layer;
                } else if (k == g.layers - 1) {
                    xk = (3 * x[p] - 4 * x[p - layer] + x[p - 2 * layer]) * g.per_layer;
                    yk = (3 * y[p] - 4 * y[p - layer] + y[p - 2 * layer]) * g.per_layer;
                    zk = (3 * z[p] - 4 * z[p - layer] + z[p - 2 * layer]) * g.per_layer;
                } else {
                    xk = (x[p + layer] - x[p - layer]) * g.per_layer;
                    yk = (y[p + layer] - y[p - layer]) * g.per_layer;
                    zk = (z[p + layer] - z[p - layer]) * g.per_layer;
                }
                if (i == 0) {
                    xi = (-3 * x[p] + 4 * x[p + 1] - x[p + 2]) * g.per_column;
                    yi = (-3 * y[p] + 4 * y[p + 1] - y[p + 2]) * g.per_column;
                    zi = (-3 * z[p] + 4 * z[p + 1] - z[p + 2]) * g.per_column;
                } else if (i == g.columns - 1) {
                    xi = (3 * x[p] - 4 * x[p - 1] + x[p - 2]) * g.per_column;
                    yi = (3 * y[p] - 4 * y[p - 1] + y[p - 2]) * g.per_column;
                    zi = (3 * z[p] - 4 * z[p - 1] + z[p - 2]) * g.per_column;
                } else {
                    xi = (x[p + 1] - x[p - 1]) * g.per_column;
                    yi = (y[p + 1] - y[p - 1]) * g.per_column;
                    zi = (z[p + 1] - z[p - 1]) * g.per_column;
                }
                double determinant = xj * yk * zi + yj * zk * xi + zj * xk * yi
                                   - xj * zk * yi - yj * xk * zi - zj * yk * xi;
                inverse[p] = 1 / (determinant + tiny);
            }
}
