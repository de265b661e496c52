/* Clustering: lengths of the difference vectors between points and the
   centre of their cluster. */
#include <math.h>
#include <stdio.h>
#define N 1024
#define ROUNDS 2000000
static double x[N], y[N], len[N];
int main(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = i * 0.25;
        y[i] = 100.0 - i * 0.125;
    }
    double s = 0;
    for (int r = 0; r < ROUNDS; r++) {
        double cx = r * 1e-4, cy = 3.0;
        for (int i = 0; i < N; i++) {
            double dx = x[i] - cx, dy = y[i] - cy;
            len[i] = sqrt(dx * dx + dy * dy);
        }
        s += len[r % N];
    }
    printf("%.6f\n", s);
    return 0;
}
