/* PageRank of a synthetic web graph. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct edge {
    int from;
    struct edge *next;
};

struct page {
    struct edge *incoming;
    int out_links;
    double rank;
    double next_rank;
};

struct graph {
    int n;
    struct page *pages;
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

static void add_link(struct graph *g, int from, int to)
{
    struct edge *e = checked(malloc(sizeof *e));
    e->from = from;
    e->next = g->pages[to].incoming;
    g->pages[to].incoming = e;
    g->pages[from].out_links++;
}

static struct graph make_graph(int n, int links)
{
    struct graph g = {n, checked(calloc(n, sizeof(struct page)))};
    for (int k = 0; k < links; k++) {
        int from = next_random() % n;
        double x = next_random() / 4294967296.0;
        int to = (int)(x * x * n);
        add_link(&g, from, to);
    }
    return g;
}

static double iterate(struct graph *g, double damping)
{
    double dangling = 0.0, change = 0.0;
    for (int i = 0; i < g->n; i++)
        if (g->pages[i].out_links == 0)
            dangling += g->pages[i].rank;
    for (int i = 0; i < g->n; i++) {
        double sum = dangling / g->n;
        for (struct edge *e = g->pages[i].incoming; e; e = e->next)
            sum += g->pages[e->from].rank / g->pages[e->from].out_links;
        g->pages[i].next_rank = (1.0 - damping) / g->n + damping * sum;
    }
    for (int i = 0; i < g->n; i++) {
        change += fabs(g->pages[i].next_rank - g->pages[i].rank);
        g->pages[i].rank = g->pages[i].next_rank;
    }
    return change;
}

int main(int argc, char **argv)
{
    int iterations = argc > 1 ? atoi(argv[1]) : 10;
    struct graph g = make_graph(100000, 1000000);
    for (int i = 0; i < g.n; i++)
        g.pages[i].rank = 1.0 / g.n;
    double change = 0.0;
    for (int t = 0; t < iterations; t++)
        change = iterate(&g, 0.85);

    int best = 0;
    double total = 0.0;
    for (int i = 0; i < g.n; i++) {
        total += g.pages[i].rank;
        if (g.pages[i].rank > g.pages[best].rank)
            best = i;
    }
    printf("change small: %s\n", change < 1e-4 ? "yes" : "no");
    printf("total %.10f\nbest page %d rank %.10e\n", total, best, g.pages[best].rank);
    for (int i = 1; i < g.n; i *= 7)
        printf("page %d %.10e\n", i, g.pages[i].rank);
    for (int i = 0; i < g.n; i++) {
        struct edge *e = g.pages[i].incoming;
        while (e) {
            struct edge *next = e->next;
            free(e);
            e = next;
        }
    }
    free(g.pages);
    return 0;
}
