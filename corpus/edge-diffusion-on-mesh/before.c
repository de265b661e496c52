/* Explicit advection-diffusion of a tracer on an unstructured triangular mesh,
 * edge-based (median dual) finite volumes. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <math.h>

#define NX 1000
#define NY 800
#define STEPS 14

typedef struct {
    int nnodes, nedges;
    double *x, *y;          /* node coordinates */
    double *vol;            /* dual cell areas */
    int *ea, *eb;           /* end points of the edges */
    double *coef;           /* diffusion coefficient of the edge */
    double *flow;           /* volume flow through the dual face */
} Mesh;

static uint64_t rng_state = 88172645463325252ull;
static uint64_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state;
}

static void *alloc(size_t n, size_t size)
{
    void *p = malloc(n * size);
    if (!p) { fprintf(stderr, "out of memory\n"); exit(1); }
    return p;
}

static void add_edge(Mesh *m, int a, int b)
{
    int e = m->nedges++;
    m->ea[e] = a;
    m->eb[e] = b;
}

/* The numbering is that of a mesh generator which inserts points in random order. */
static void make_mesh(Mesh *m)
{
    int n = NX * NY;
    m->nnodes = n;
    m->nedges = 0;
    m->x = alloc(n, sizeof(double));
    m->y = alloc(n, sizeof(double));
    m->vol = alloc(n, sizeof(double));
    m->ea = alloc(3 * (size_t)n, sizeof(int));
    m->eb = alloc(3 * (size_t)n, sizeof(int));
    int *id = alloc(n, sizeof(int));
    for (int i = 0; i < n; i++) id[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(rng() % (uint64_t)(i + 1));
        int t = id[i]; id[i] = id[j]; id[j] = t;
    }
    int *place = alloc(n, sizeof(int));
    for (int i = 0; i < n; i++) place[id[i]] = i;
    /* nodes and their edges in order of insertion */
    for (int p = 0; p < n; p++) {
        int g = place[p], i = g % NX, j = g / NX;
        m->x[p] = (i + 0.3 * ((rng() & 1023) / 1024.0)) / NX;
        m->y[p] = (j + 0.3 * ((rng() & 1023) / 1024.0)) / NX;
        m->vol[p] = 1.0 / ((double)NX * NX);
        if (i + 1 < NX) add_edge(m, p, id[g + 1]);
        if (j + 1 < NY) add_edge(m, p, id[g + NX]);
        if (i + 1 < NX && j + 1 < NY) add_edge(m, p, id[g + NX + 1]);
    }
    m->coef = alloc(m->nedges, sizeof(double));
    m->flow = alloc(m->nedges, sizeof(double));
    for (int e = 0; e < m->nedges; e++) {
        m->coef[e] = 1e-4 * (1.0 + (rng() & 255) / 512.0);
        m->flow[e] = 1e-5 * ((int)(rng() & 255) - 128) / 128.0;
    }
    free(id);
    free(place);
}

static void residual(const Mesh *m, const double *c, double *r)
{
    for (int i = 0; i < m->nnodes; i++) r[i] = 0.0;
    for (int e = 0; e < m->nedges; e++) {
        int a = m->ea[e], b = m->eb[e];
        double dx = m->x[b] - m->x[a], dy = m->y[b] - m->y[a];
        double f = m->coef[e] * (c[b] - c[a]) * (dx * dx + dy * dy) * NX * NX
                 - m->flow[e] * 0.5 * (c[a] + c[b]);
        r[a] += f;
        r[b] -= f;
    }
}

int main(void)
{
    Mesh m;
    make_mesh(&m);
    double *c = alloc(m.nnodes, sizeof(double));
    double *r = alloc(m.nnodes, sizeof(double));
    for (int i = 0; i < m.nnodes; i++) {
        double dx = m.x[i] - 0.5, dy = m.y[i] - 0.4;
        c[i] = 1.0 + exp(-40.0 * (dx * dx + dy * dy));
    }
    double dt = 5e-4;
    for (int s = 0; s < STEPS; s++) {
        residual(&m, c, r);
        for (int i = 0; i < m.nnodes; i++) c[i] += dt * r[i] / m.vol[i];
    }
    double mass = 0.0, sq = 0.0, cmax = 0.0;
    for (int i = 0; i < m.nnodes; i++) {
        mass += c[i] * m.vol[i];
        sq += c[i] * c[i];
        if (c[i] > cmax) cmax = c[i];
    }
    printf("nodes %d edges %d\n", m.nnodes, m.nedges);
    printf("mass %.12e rms %.12e max %.12e\n", mass, sqrt(sq / m.nnodes), cmax);
    for (int k = 0; k < 4; k++) {
        int i = (int)((int64_t)m.nnodes * (2 * k + 1) / 8);
        printf("node %d value %.12e\n", i, c[i]);
    }
    return 0;
}
