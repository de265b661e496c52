/* All stages compute f(i) = a(i) + 1/2, d(i,j) = b(j) f(i), c(k,i,j) = d(i,j) e(k), for n, m and l values of
 * i, j and k. C's last subscript varies fastest, as Fortran's first: d is [m][n], c is [m][n][l]. */
#ifndef ARRAYS_H
#define ARRAYS_H

void products(int n, int m, int l, const double *restrict a, const double *restrict b, const double *restrict e,
              double *restrict f, double *restrict d, double *restrict c);

#endif
