// Diffusion between the cells of a square whose border is cold, and a little loss in each cell.
#include "vectors.h"

void apply(Vector &y, const Vector &conductivity, const Vector &x, int side)
{
    const double *c = conductivity.data();
    const double *in = x.data();
    double *out = y.data();
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++) {
            int i = row * side + column;
            double own = 0.01 * in[i];
            own += (row > 0 ? 0.5 * (c[i] + c[i - side]) * (in[i] - in[i - side]) : c[i] * in[i]);
            own += (row + 1 < side ? 0.5 * (c[i] + c[i + side]) * (in[i] - in[i + side]) : c[i] * in[i]);
            own += (column > 0 ? 0.5 * (c[i] + c[i - 1]) * (in[i] - in[i - 1]) : c[i] * in[i]);
            own += (column + 1 < side ? 0.5 * (c[i] + c[i + 1]) * (in[i] - in[i + 1]) : c[i] * in[i]);
            out[i] = own;
        }
}
