#include <math.h>
extern void visit(int *);
void decay(double *a, int n) {
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] * 0.5 + 1.0;
}
double sum(const double *a, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
void add(float *a, const float *b, int n) {
    for (int i = 0; i < n; i++)
        a[i] += b[i];
}
void each(int *a, int n) {
    for (int i = 0; i < n; i++)
        visit(a + i);
}
static inline void wave(double *x, int n) {
    for (int i = 0; i < n; i++)
        x[i] = sin(x[i]);
}
void both(double *x, int n) {
    wave(x, n);
    wave(x + n, n);
}
void nest(double (*a)[100], const double *b, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = b[j] * 2.0;
}
void clear(int *a, int n) {
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
