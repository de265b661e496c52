/* Ranks the pages of a web crawl: a directed graph with link lists, and a damped random walk. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGES 60000
#define LINKS 600000
#define ROUNDS 20

struct link {
    int from;
    struct link *next;
};

struct page {
    double rank;
    double next_rank;
    int out_degree;
    struct link *incoming;
};

struct graph {
    int pages;
    long links;
    struct page *page;
};

static unsigned long long state = 0x2545F4914F6CDD1DULL;

static unsigned rnd(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (unsigned)((state * 0x9E3779B97F4A7C15ULL) >> 33);
}

static void graph_init(struct graph *g, int pages)
{
    g->pages = pages;
    g->links = 0;
    g->page = calloc((size_t)pages, sizeof *g->page);
    if (!g->page)
        exit(1);
}

static void add_link(struct graph *g, int from, int to)
{
    struct link *l = malloc(sizeof *l);
    if (!l)
        exit(1);
    l->from = from;
    l->next = g->page[to].incoming;
    g->page[to].incoming = l;
    g->page[from].out_degree++;
    g->links++;
}

static void crawl(struct graph *g, long links)
{
    for (long i = 0; i < links; i++) {
        int from = (int)(rnd() % (unsigned)g->pages);
        double u = rnd() / 2147483648.0;
        int to = (int)(u * sqrt(u) * g->pages);
        if (to != from)
            add_link(g, from, to);
    }
}

static double rank_round(struct graph *g, double damping)
{
    double dangling = 0.0, change = 0.0;
    for (int i = 0; i < g->pages; i++)
        if (g->page[i].out_degree == 0)
            dangling += g->page[i].rank;
    for (int i = 0; i < g->pages; i++) {
        double sum = dangling / g->pages;
        for (const struct link *l = g->page[i].incoming; l; l = l->next)
            sum += g->page[l->from].rank / g->page[l->from].out_degree;
        g->page[i].next_rank = (1.0 - damping) / g->pages + damping * sum;
    }
    for (int i = 0; i < g->pages; i++) {
        change += fabs(g->page[i].next_rank - g->page[i].rank);
        g->page[i].rank = g->page[i].next_rank;
    }
    return change;
}

static void rank_pages(struct graph *g, int rounds)
{
    double change = 0.0;
    for (int i = 0; i < g->pages; i++)
        g->page[i].rank = 1.0 / g->pages;
    for (int r = 0; r < rounds; r++)
        change = rank_round(g, 0.85);
    printf("pages %d links %ld last change %.6e\n", g->pages, g->links, change);
}

static void graph_free(struct graph *g)
{
    for (int i = 0; i < g->pages; i++) {
        struct link *l = g->page[i].incoming;
        while (l) {
            struct link *next = l->next;
            free(l);
            l = next;
        }
    }
    free(g->page);
}

int main(void)
{
    struct graph g;
    graph_init(&g, PAGES);
    crawl(&g, LINKS);
    rank_pages(&g, ROUNDS);
    int best = 0;
    double sum = 0.0;
    for (int i = 0; i < g.pages; i++) {
        sum += g.page[i].rank;
        if (g.page[i].rank > g.page[best].rank)
            best = i;
    }
    printf("best %d rank %.9e sum %.9f\n", best, g.page[best].rank, sum);
    printf("page 1000: %.9e page 50000: %.9e\n", g.page[1000].rank, g.page[50000].rank);
    graph_free(&g);
    return 0;
}
