// Vectors, and the operator of a diffusion problem on a square.
#pragma once
#include <vector>

using Vector = std::vector<double>;

// The sum of x[i] y[i].
double dot(const Vector &x, const Vector &y);
// y += factor x.
void add(Vector &y, double factor, const Vector &x);
// x = r + factor x.
void turn(Vector &x, double factor, const Vector &r);
// y = A x: five points, with a conductivity that differs from cell to cell.
void apply(Vector &y, const Vector &conductivity, const Vector &x, int side);
