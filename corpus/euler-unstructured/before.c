/* Two-dimensional Euler equations on a triangular mesh, edge-based
 * finite volumes on the median dual, explicit in time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 560            /* points per side */
#define NSTEPS 24
#define GAMMA 1.4

typedef struct { int a, b; double nx, ny; } Edge;

static int npoints, ntri, nedges;
static double *x, *y, *vol;
static int (*tri)[3], *id, *boundary;
static Edge *edge;
static double (*u)[4], (*res)[4];

static unsigned long long seed = 20240611ULL;
static unsigned rnd(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(seed >> 33);
}

/* Points get their numbers in the order in which the mesher inserts them. */
static void make_mesh(void)
{
    npoints = N * N;
    ntri = 2 * (N - 1) * (N - 1);
    x = malloc(npoints * sizeof *x);
    y = malloc(npoints * sizeof *y);
    vol = calloc(npoints, sizeof *vol);
    id = malloc(npoints * sizeof *id);
    boundary = calloc(npoints, sizeof *boundary);
    tri = malloc(ntri * sizeof *tri);
    for (int i = 0; i < npoints; i++) id[i] = i;
    for (int i = npoints - 1; i > 0; i--) {
        int j = rnd() % (i + 1), t = id[i];
        id[i] = id[j];
        id[j] = t;
    }
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            int p = id[j * N + i];
            boundary[p] = i == 0 || j == 0 || i == N - 1 || j == N - 1;
            double s = boundary[p] ? 0.0 : 0.3 / N;
            x[p] = (double)i / (N - 1) + s * sin(3.1 * i + 1.7 * j);
            y[p] = (double)j / (N - 1) + s * cos(2.3 * i - 0.9 * j);
        }
    int m = 0;
    for (int j = 0; j < N - 1; j++)
        for (int i = 0; i < N - 1; i++) {
            int p = id[j * N + i], q = id[j * N + i + 1], r = id[(j + 1) * N + i], s = id[(j + 1) * N + i + 1];
            tri[m][0] = p; tri[m][1] = q; tri[m][2] = s; m++;
            tri[m][0] = p; tri[m][1] = s; tri[m][2] = r; m++;
        }
}

/* Edges in the order in which the points list their neighbours. */
static void make_edges(void)
{
    int *head = malloc((npoints + 1) * sizeof *head), *next = malloc(3 * ntri * sizeof *next);
    edge = malloc(3 * ntri * sizeof *edge);
    for (int p = 0; p < npoints; p++) head[p] = -1;
    for (int t = 0; t < ntri; t++) {
        int *v = tri[t];
        double cx = (x[v[0]] + x[v[1]] + x[v[2]]) / 3, cy = (y[v[0]] + y[v[1]] + y[v[2]]) / 3;
        double area = 0.5 * ((x[v[1]] - x[v[0]]) * (y[v[2]] - y[v[0]]) - (x[v[2]] - x[v[0]]) * (y[v[1]] - y[v[0]]));
        for (int k = 0; k < 3; k++) {
            int a = v[k], b = v[(k + 1) % 3];
            int lo = a < b ? a : b, hi = a < b ? b : a, e;
            double mx = 0.5 * (x[a] + x[b]), my = 0.5 * (y[a] + y[b]), sg = a < b ? 1.0 : -1.0;
            vol[a] += area / 3;
            for (e = head[lo]; e >= 0 && edge[e].b != hi; e = next[e]) ;
            if (e < 0) {
                e = nedges++;
                edge[e] = (Edge){lo, hi, 0, 0};
                next[e] = head[lo];
                head[lo] = e;
            }
            edge[e].nx += sg * (cy - my);
            edge[e].ny -= sg * (cx - mx);
        }
    }
    Edge *sorted = malloc(nedges * sizeof *sorted);
    int m = 0;
    for (int p = 0; p < npoints; p++)
        for (int e = head[p]; e >= 0; e = next[e]) sorted[m++] = edge[e];
    free(edge); free(head); free(next);
    edge = sorted;
}

static void init_flow(void)
{
    u = malloc(npoints * sizeof *u);
    res = malloc(npoints * sizeof *res);
    for (int p = 0; p < npoints; p++) {
        double r2 = (x[p] - 0.45) * (x[p] - 0.45) + (y[p] - 0.5) * (y[p] - 0.5);
        double rho = 1.0 + 0.3 * exp(-r2 / 0.01), pr = 1.0 + 0.4 * exp(-r2 / 0.01);
        u[p][0] = rho;
        u[p][1] = rho * 0.4;
        u[p][2] = rho * 0.1;
        u[p][3] = pr / (GAMMA - 1) + 0.5 * rho * (0.16 + 0.01);
    }
}

static void residual(void)
{
    for (int p = 0; p < npoints; p++)
        for (int k = 0; k < 4; k++) res[p][k] = 0.0;
    for (int e = 0; e < nedges; e++) {
        int a = edge[e].a, b = edge[e].b;
        double nx = edge[e].nx, ny = edge[e].ny, len = sqrt(nx * nx + ny * ny);
        double ia = 1.0 / u[a][0], ib = 1.0 / u[b][0];
        double va = (u[a][1] * nx + u[a][2] * ny) * ia, vb = (u[b][1] * nx + u[b][2] * ny) * ib;
        double pa = (GAMMA - 1) * (u[a][3] - 0.5 * (u[a][1] * u[a][1] + u[a][2] * u[a][2]) * ia);
        double pb = (GAMMA - 1) * (u[b][3] - 0.5 * (u[b][1] * u[b][1] + u[b][2] * u[b][2]) * ib);
        double sa = fabs(va) + len * sqrt(GAMMA * pa * ia), sb = fabs(vb) + len * sqrt(GAMMA * pb * ib);
        double s = sa > sb ? sa : sb, f[4];
        f[0] = 0.5 * (u[a][0] * va + u[b][0] * vb - s * (u[b][0] - u[a][0]));
        f[1] = 0.5 * (u[a][1] * va + u[b][1] * vb + (pa + pb) * nx - s * (u[b][1] - u[a][1]));
        f[2] = 0.5 * (u[a][2] * va + u[b][2] * vb + (pa + pb) * ny - s * (u[b][2] - u[a][2]));
        f[3] = 0.5 * ((u[a][3] + pa) * va + (u[b][3] + pb) * vb - s * (u[b][3] - u[a][3]));
        for (int k = 0; k < 4; k++) {
            res[a][k] -= f[k];
            res[b][k] += f[k];
        }
    }
}

int main(void)
{
    make_mesh();
    make_edges();
    init_flow();
    for (int step = 0; step < NSTEPS; step++) {
        double dt = 0.15 / N / 2.2;
        residual();
        for (int p = 0; p < npoints; p++)
            if (!boundary[p])
                for (int k = 0; k < 4; k++) u[p][k] += dt / vol[p] * res[p][k];
    }
    double sum[4] = {0, 0, 0, 0};
    for (int p = 0; p < npoints; p++)
        for (int k = 0; k < 4; k++) sum[k] += vol[p] * u[p][k];
    printf("points %d triangles %d edges %d\n", npoints, ntri, nedges);
    printf("totals %.12f %.12f %.12f %.12f\n", sum[0], sum[1], sum[2], sum[3]);
    for (int k = 1; k < 4; k++) {
        int p = id[N * (N * k / 4) + N / 2];
        printf("probe %d: %.12f %.12f %.12f %.12f\n", k, u[p][0], u[p][1], u[p][2], u[p][3]);
    }
    return 0;
}
