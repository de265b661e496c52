#include "arrays.h"

enum { M = 10, L = 5 };

/* The original nest, for trip counts that the compiler knows. */
static inline void nest(int n, int m, int l, const double *restrict a, const double *restrict b,
                        const double *restrict e, double *restrict f, double *restrict d, double *restrict c)
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

/* The usual trip counts are constants in a special version; other calls use the general one. */
void products(int n, int m, int l, const double *restrict a, const double *restrict b, const double *restrict e,
              double *restrict f, double *restrict d, double *restrict c)
{
    if (m == M && l == L)
        nest(n, M, L, a, b, e, f, d, c);
    else
        nest(n, m, l, a, b, e, f, d, c);
}
