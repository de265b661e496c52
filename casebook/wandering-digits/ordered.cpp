// Operations on vectors. The sum has its order in the source: eight parts, added in pairs at the end. Registers of two, four
// and eight numbers hold whole parts, so that every instruction set gives the same digits.
#include "vectors.h"

double dot(const Vector &x, const Vector &y)
{
    const double *a = x.data(), *b = y.data();
    long length = static_cast<long>(x.size());
    constexpr int PARTS = 8;
    double part[PARTS] = {};
    long i = 0;
    for (; i + PARTS <= length; i += PARTS)
        for (int k = 0; k < PARTS; k++)
            part[k] += a[i + k] * b[i + k];
    for (int k = 0; i + k < length; k++)
        part[k] += a[i + k] * b[i + k];
    for (int width = PARTS / 2; width; width /= 2)
        for (int k = 0; k < width; k++)
            part[k] += part[k + width];
    return part[0];
}

void add(Vector &y, double factor, const Vector &x)
{
    double *out = y.data();
    const double *in = x.data();
    long length = static_cast<long>(x.size());
    for (long i = 0; i < length; i++)
        out[i] += factor * in[i];
}

void turn(Vector &x, double factor, const Vector &r)
{
    double *out = x.data();
    const double *in = r.data();
    long length = static_cast<long>(x.size());
    for (long i = 0; i < length; i++)
        out[i] = in[i] + factor * out[i];
}
