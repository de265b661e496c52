#include "arrays.h"

/* All in one nest: the loops of ten and five iterations are inside, the long one outside. */
void products(int n, int m, int l, const double *restrict a, const double *restrict b, const double *restrict e,
              double *restrict f, double *restrict d, double *restrict c)
{
    for (int i = 0; i < n; i++) {
        f[i] = a[i] + 0.5;
        for (int j = 0; j < m; j++) {
            d[j * n + i] = b[j] * f[i];
            for (int k = 0; k < l; k++)
                c[(j * n + i) * l + k] = d[j * n + i] * e[k];
        }
    }
}
