/* Clusters item embeddings of a shop catalogue with Lloyd's k-means, to be
 * used as the coarse level of a recommender's candidate index. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS    10000
#define DIM      256
#define CLUSTERS 64
#define ROUNDS   10
#define LANES    16

static uint64_t rng_state = 88172645463325252ull;

static double uniform(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 11) / 9007199254740992.0;
}

struct model {
    int     n, dim, k;
    double *items;      /* n * dim */
    double *centroids;  /* k * dim */
    int    *label;
    int    *size;
};

/* Distances of x to LANES centroids at once. panel holds them interleaved,
 * panel[d * LANES + lane]; each lane sums its own distance in the order of d. */
static void distances(const double *restrict x, const double *restrict panel, int dim,
                       double *restrict out)
{
    double sum[LANES] = { 0 };
    for (int d = 0; d < dim; d++) {
        const double *p = panel + (size_t)d * LANES;
        double v = x[d];
        for (int l = 0; l < LANES; l++) {
            double diff = v - p[l];
            sum[l] += diff * diff;
        }
    }
    for (int l = 0; l < LANES; l++)
        out[l] = sum[l];
}

static double *interleave(const struct model *m)
{
    int panels = (m->k + LANES - 1) / LANES;
    double *p = calloc((size_t)panels * LANES * m->dim, sizeof(double));
    for (int c = 0; c < m->k; c++)
        for (int d = 0; d < m->dim; d++)
            p[((size_t)(c / LANES) * m->dim + d) * LANES + c % LANES] = m->centroids[(size_t)c * m->dim + d];
    return p;
}

static double assign(struct model *m, int *changed)
{
    double inertia = 0.0;
    double *panels = interleave(m);
    *changed = 0;
    for (int i = 0; i < m->n; i++) {
        const double *x = m->items + (size_t)i * m->dim;
        int best = -1;
        double best_dist = 0.0;
        for (int c = 0; c < m->k; c += LANES) {
            double dist[LANES];
            int lanes = m->k - c < LANES ? m->k - c : LANES;
            distances(x, panels + (size_t)c * m->dim, m->dim, dist);
            for (int l = 0; l < lanes; l++) {
                if (best < 0 || dist[l] < best_dist) {
                    best_dist = dist[l];
                    best = c + l;
                }
            }
        }
        if (m->label[i] != best) {
            m->label[i] = best;
            (*changed)++;
        }
        inertia += best_dist;
    }
    free(panels);
    return inertia;
}

static void update(struct model *m)
{
    memset(m->centroids, 0, sizeof(double) * m->k * m->dim);
    memset(m->size, 0, sizeof(int) * m->k);
    for (int i = 0; i < m->n; i++) {
        double *c = m->centroids + (size_t)m->label[i] * m->dim;
        const double *x = m->items + (size_t)i * m->dim;
        for (int d = 0; d < m->dim; d++)
            c[d] += x[d];
        m->size[m->label[i]]++;
    }
    for (int k = 0; k < m->k; k++) {
        if (m->size[k] == 0)
            continue;
        for (int d = 0; d < m->dim; d++)
            m->centroids[(size_t)k * m->dim + d] /= m->size[k];
    }
}

static void make_items(struct model *m)
{
    enum { TOPICS = 60 };
    static double topic[TOPICS][DIM];
    for (int t = 0; t < TOPICS; t++)
        for (int d = 0; d < DIM; d++)
            topic[t][d] = uniform() * 2.0 - 1.0;
    for (int i = 0; i < m->n; i++) {
        int a = (int)(uniform() * TOPICS), b = (int)(uniform() * TOPICS);
        double mix = uniform();
        for (int d = 0; d < m->dim; d++)
            m->items[(size_t)i * m->dim + d] =
                mix * topic[a][d] + (1.0 - mix) * topic[b][d] + 0.6 * (uniform() - 0.5);
    }
}

int main(void)
{
    struct model m = { ITEMS, DIM, CLUSTERS, NULL, NULL, NULL, NULL };
    m.items = malloc(sizeof(double) * m.n * m.dim);
    m.centroids = malloc(sizeof(double) * m.k * m.dim);
    m.label = malloc(sizeof(int) * m.n);
    m.size = calloc(m.k, sizeof(int));
    make_items(&m);
    for (int c = 0; c < m.k; c++)
        memcpy(m.centroids + (size_t)c * m.dim,
               m.items + (size_t)(c * (m.n / m.k)) * m.dim, sizeof(double) * m.dim);
    for (int i = 0; i < m.n; i++)
        m.label[i] = -1;

    for (int round = 0; round < ROUNDS; round++) {
        int changed;
        double inertia = assign(&m, &changed);
        update(&m);
        if (round % 3 == 0)
            printf("round %2d inertia %.9f moved %d\n", round, inertia, changed);
    }

    uint64_t hash = 1469598103934665603ull;
    int smallest = m.n, largest = 0;
    for (int i = 0; i < m.n; i++)
        hash = (hash ^ (uint64_t)m.label[i]) * 1099511628211ull;
    for (int c = 0; c < m.k; c++) {
        if (m.size[c] < smallest) smallest = m.size[c];
        if (m.size[c] > largest) largest = m.size[c];
    }
    printf("labels %016llx\n", (unsigned long long)hash);
    printf("smallest %d largest %d\n", smallest, largest);
    free(m.items); free(m.centroids); free(m.label); free(m.size);
    return 0;
}
