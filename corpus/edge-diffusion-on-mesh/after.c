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

static void permute(double **v, const int *new_id, int n)
{
    double *w = alloc(n, sizeof(double));
    for (int i = 0; i < n; i++) w[new_id[i]] = (*v)[i];
    free(*v);
    *v = w;
}

/* Renumbers the nodes breadth first (Cuthill-McKee without the sorting by degree) and
 * sorts the edges by their lower node, so that neighbours in the mesh are neighbours in
 * memory.  Returns new_id[old]. */
static int *renumber(Mesh *m)
{
    int n = m->nnodes, ne = m->nedges;
    int *start = calloc((size_t)n + 2, sizeof(int));
    int *adj = alloc(2 * (size_t)ne, sizeof(int));
    for (int e = 0; e < ne; e++) { start[m->ea[e] + 2]++; start[m->eb[e] + 2]++; }
    for (int i = 2; i <= n + 1; i++) start[i] += start[i - 1];
    for (int e = 0; e < ne; e++) {
        int a = m->ea[e], b = m->eb[e];
        adj[start[a + 1]++] = b;
        adj[start[b + 1]++] = a;
    }
    /* begin at the corner: fronts stay narrow */
    int seed = 0;
    for (int i = 1; i < n; i++)
        if (m->x[i] + m->y[i] < m->x[seed] + m->y[seed]) seed = i;
    int *new_id = alloc(n, sizeof(int)), *queue = alloc(n, sizeof(int));
    for (int i = 0; i < n; i++) new_id[i] = -1;
    int tail = 0, next = 0;
    new_id[seed] = 0;
    queue[tail++] = seed;
    for (int head = 0; tail < n || head < tail; head++) {
        if (head == tail) {                     /* another component */
            while (new_id[next] >= 0) next++;
            new_id[next] = tail;
            queue[tail++] = next;
        }
        int a = queue[head];
        for (int k = start[a]; k < start[a + 1]; k++)
            if (new_id[adj[k]] < 0) { new_id[adj[k]] = tail; queue[tail++] = adj[k]; }
    }
    permute(&m->x, new_id, n);
    permute(&m->y, new_id, n);
    permute(&m->vol, new_id, n);

    /* counting sort of the edges by their lower end */
    int *pos = start;
    for (int i = 0; i <= n + 1; i++) pos[i] = 0;
    for (int e = 0; e < ne; e++) {
        int a = m->ea[e] = new_id[m->ea[e]], b = m->eb[e] = new_id[m->eb[e]];
        pos[(a < b ? a : b) + 1]++;
    }
    for (int i = 1; i <= n; i++) pos[i] += pos[i - 1];
    int *ea = alloc(ne, sizeof(int)), *eb = alloc(ne, sizeof(int));
    double *coef = alloc(ne, sizeof(double)), *flow = alloc(ne, sizeof(double));
    for (int e = 0; e < ne; e++) {
        int a = m->ea[e], b = m->eb[e], q = pos[a < b ? a : b]++;
        ea[q] = a;
        eb[q] = b;
        coef[q] = m->coef[e];
        flow[q] = m->flow[e];
    }
    free(m->ea); free(m->eb); free(m->coef); free(m->flow);
    m->ea = ea; m->eb = eb; m->coef = coef; m->flow = flow;
    free(adj); free(queue); free(start);
    return new_id;
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
    int *new_id = renumber(&m);
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
        printf("node %d value %.12e\n", i, c[new_id[i]]);
    }
    return 0;
}
