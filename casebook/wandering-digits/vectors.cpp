// Operations on vectors. The directive lets the compiler add the sum up in as many parts as a register holds, which
// -fopenmp-simd switches on.
#include "vectors.h"

double dot(const Vector &x, const Vector &y)
{
    const double *a = x.data(), *b = y.data();
    long length = static_cast<long>(x.size());
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (long i = 0; i < length; i++)
        sum += a[i] * b[i];
    return sum;
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
