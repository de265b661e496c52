/* Groundwater head on a finite-volume mesh: the mesh generator lists for each
 * active cell its index and its four neighbours; explicit time stepping. */
#include <stdio.h>
#include <stdlib.h>

struct mesh {
    int rows, cols;
};

/* The active cells are the interior of the rectangle and the neighbours are at
 * constant offsets. */
static void diffuse(const struct mesh *m, const double *restrict h, const double *restrict k,
                    const double *restrict src, double *restrict hn)
{
    const int cols = m->cols;
    for (int r = 1; r < m->rows - 1; r++) {
        const double *mid = h + (size_t)r * cols, *s = mid - cols, *n = mid + cols;
        const double *kr = k + (size_t)r * cols, *sr = src + (size_t)r * cols;
        double *out = hn + (size_t)r * cols;
        for (int c = 1; c < cols - 1; c++) {
            double flow = s[c] + n[c] + mid[c - 1] + mid[c + 1] - 4.0 * mid[c];
            out[c] = mid[c] + kr[c] * flow + sr[c];
        }
    }
}

int main(void)
{
    enum { ROWS = 310, COLS = 420, STEPS = 4000 };
    struct mesh m = {ROWS, COLS};
    size_t n = (size_t)ROWS * COLS;
    double *h = malloc(n * sizeof *h), *hn = malloc(n * sizeof *h);
    double *k = malloc(n * sizeof *h), *src = calloc(n, sizeof *h);
    unsigned seed = 7;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;
        k[i] = 0.05 + 0.15 * (seed >> 16 & 1023) / 1024.0;
        h[i] = hn[i] = 10.0 + (double)(i % COLS) / COLS;
    }
    src[100 * COLS + 50] = -0.05;
    src[200 * COLS + 333] = 0.03;
    for (int t = 1; t <= STEPS; t++) {
        diffuse(&m, h, k, src, hn);
        double *tmp = h;
        h = hn;
        hn = tmp;
        if (t % 1000 == 0) {
            double sum = 0.0;
            for (size_t i = 0; i < n; i++)
                sum += h[i];
            printf("step %d mean %.12f well %.12f %.12f\n", t, sum / n, h[100 * COLS + 50], h[200 * COLS + 333]);
        }
    }
    printf("%.12f %.12f\n", h[155 * COLS + 210], h[20 * COLS + 400]);
    free(h);
    free(hn);
    free(k);
    free(src);
    return 0;
}
