/* The Jacobian of a bent grid: how the coordinates x, y and z change from point to point in each of three directions.
 * The fields are [layers][rows][columns]; the stored value is one over the determinant. */
#ifndef GRID_H
#define GRID_H

typedef struct {
    int columns, rows, layers;
    double per_column, per_row, per_layer; /* half of one over the spacing */
} grid;

static const double tiny = 1e-20; /* so that a degenerate cell divides by something */

void jacobian(grid g, const double *restrict x, const double *restrict y, const double *restrict z,
              double *restrict inverse);

#endif
