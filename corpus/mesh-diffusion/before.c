/* Groundwater head on a finite-volume mesh: the mesh generator lists for each
 * active cell its index and its four neighbours; explicit time stepping. */
#include <stdio.h>
#include <stdlib.h>

struct mesh {
    int rows, cols;
    int nactive;
    int *cell;       /* active cells, in the order of generation */
    int *nbr[4];     /* south, north, west, east of each active cell */
};

static struct mesh make_mesh(int rows, int cols)
{
    struct mesh m = {rows, cols, 0, NULL, {NULL, NULL, NULL, NULL}};
    size_t max = (size_t)(rows - 2) * (cols - 2);
    m.cell = malloc(max * sizeof(int));
    for (int k = 0; k < 4; k++)
        m.nbr[k] = malloc(max * sizeof(int));
    for (int r = 1; r < rows - 1; r++)
        for (int c = 1; c < cols - 1; c++) {
            int id = r * cols + c, a = m.nactive++;
            m.cell[a] = id;
            m.nbr[0][a] = id - cols;
            m.nbr[1][a] = id + cols;
            m.nbr[2][a] = id - 1;
            m.nbr[3][a] = id + 1;
        }
    return m;
}

static void diffuse(const struct mesh *m, const double *h, const double *k, const double *src, double *hn)
{
    const int *s = m->nbr[0], *n = m->nbr[1], *w = m->nbr[2], *e = m->nbr[3];
    for (int a = 0; a < m->nactive; a++) {
        int id = m->cell[a];
        double flow = h[s[a]] + h[n[a]] + h[w[a]] + h[e[a]] - 4.0 * h[id];
        hn[id] = h[id] + k[id] * flow + src[id];
    }
}

int main(void)
{
    enum { ROWS = 310, COLS = 420, STEPS = 4000 };
    struct mesh m = make_mesh(ROWS, COLS);
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
    for (int i = 0; i < 4; i++)
        free(m.nbr[i]);
    free(m.cell);
    free(h);
    free(hn);
    free(k);
    free(src);
    return 0;
}
