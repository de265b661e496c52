#include <math.h>

void transform(int n, double *restrict a, const double *restrict b, const double *restrict c, double *restrict d,
               double *restrict e, double *restrict f);

static const double pi = 3.14159265358979323846;

/* The compiler sees the function, inlines it into the loop, and vectorises the loop. */
static inline void combine(double a, double ct, double *d, double *e)
{
    *e = a * a + fabs(a + ct) * (ct * fabs(a - ct));
    *d = a + ct;
}

void transform(int n, double *restrict a, const double *restrict b, const double *restrict c, double *restrict d,
               double *restrict e, double *restrict f)
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i] * b[i] + c[i] * c[i];
        double ct = pi * a[i] + a[i] * a[i];
        combine(a[i], ct, &d[i], &e[i]);
        f[i] = fabs(e[i]);
    }
}
