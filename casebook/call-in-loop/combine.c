#include <math.h>

void combine(double a, double ct, double *d, double *e);

/* In a separate file: the compiler of the loop does not see this code. */
void combine(double a, double ct, double *d, double *e)
{
    *e = a * a + fabs(a + ct) * (ct * fabs(a - ct));
    *d = a + ct;
}
