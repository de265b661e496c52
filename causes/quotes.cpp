// Keeps a portfolio's mark-to-market value: multiplies positions by current
// prices and sums them, for every tick of a trading day.
#include <cstdio>
#include <vector>
#ifndef N
#define N 500000
#endif
#ifndef TICKS
#define TICKS 26000
#endif
template <class T>
static inline T value(const std::vector<T> &q, const std::vector<T> &p)
{
    T v = 0;
    const std::size_t n = q.size();
    for (std::size_t i = 0; i < n; i++)
        v += q[i] * p[i];
    return v;
}
int main()
{
    std::vector<double> q(N), p(N);
    for (int i = 0; i < N; i++) {
        q[i] = (i * 37) % 101 - 50;
        p[i] = 10.0 + (i * 13) % 997 * 0.01;
    }
    double total = 0;
    for (int t = 0; t < TICKS; t++) {
        total += value(q, p);
        p[(t * 7919L) % N] += 0.01;
    }
    std::printf("%.6e\n", total);
}
