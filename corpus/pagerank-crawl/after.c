/* PageRank of a synthetic web graph. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Incoming links in compressed rows: those of page i are from[start[i]] .. from[start[i+1]-1]. */
struct graph {
    int n;
    int *start;
    int *from;
    int *out_links;
    double *rank;
    double *share;
};

static uint64_t rng = 0x9E3779B97F4A7C15ULL;

static uint32_t next_random(void)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return (uint32_t)(rng >> 32);
}

static void *checked(void *p)
{
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return p;
}

static struct graph make_graph(int n, int links)
{
    struct graph g;
    g.n = n;
    g.start = checked(calloc((size_t)n + 2, sizeof(int)));
    g.from = checked(malloc((size_t)links * sizeof(int)));
    g.out_links = checked(calloc(n, sizeof(int)));
    g.rank = checked(calloc(n, sizeof(double)));
    g.share = checked(calloc(n, sizeof(double)));
    int *src = checked(malloc((size_t)links * sizeof(int)));
    int *dst = checked(malloc((size_t)links * sizeof(int)));
    for (int k = 0; k < links; k++) {
        src[k] = next_random() % n;
        double x = next_random() / 4294967296.0;
        dst[k] = (int)(x * x * n);
        g.out_links[src[k]]++;
        g.start[dst[k] + 2]++;
    }
    for (int i = 2; i <= n + 1; i++)
        g.start[i] += g.start[i - 1];
    for (int k = links - 1; k >= 0; k--)
        g.from[g.start[dst[k] + 1]++] = src[k];
    free(src);
    free(dst);
    return g;
}

static double iterate(struct graph *g, double damping)
{
    double dangling = 0.0, change = 0.0;
    for (int i = 0; i < g->n; i++) {
        if (g->out_links[i] == 0)
            dangling += g->rank[i];
        else
            g->share[i] = g->rank[i] / g->out_links[i];
    }
    for (int i = 0; i < g->n; i++) {
        double sum = dangling / g->n;
        for (int k = g->start[i]; k < g->start[i + 1]; k++)
            sum += g->share[g->from[k]];
        double next = (1.0 - damping) / g->n + damping * sum;
        change += fabs(next - g->rank[i]);
        g->rank[i] = next;
    }
    return change;
}

int main(int argc, char **argv)
{
    int iterations = argc > 1 ? atoi(argv[1]) : 10;
    struct graph g = make_graph(100000, 1000000);
    for (int i = 0; i < g.n; i++)
        g.rank[i] = 1.0 / g.n;
    double change = 0.0;
    for (int t = 0; t < iterations; t++)
        change = iterate(&g, 0.85);

    int best = 0;
    double total = 0.0;
    for (int i = 0; i < g.n; i++) {
        total += g.rank[i];
        if (g.rank[i] > g.rank[best])
            best = i;
    }
    printf("change small: %s\n", change < 1e-4 ? "yes" : "no");
    printf("total %.10f\nbest page %d rank %.10e\n", total, best, g.rank[best]);
    for (int i = 1; i < g.n; i *= 7)
        printf("page %d %.10e\n", i, g.rank[i]);
    free(g.start);
    free(g.from);
    free(g.out_links);
    free(g.rank);
    free(g.share);
    return 0;
}
