#include <math.h>

void combine(double a, double ct, double *d, double *e);

/* In a file of its own: whoever compiles the loop does not see what happens here. */
void combine(double a, double ct, double *d, double *e)
{
    *e = a * a + fabs(a + ct) * (ct * fabs(a - ct));
    *d = a + ct;
}
