/* IPv4 forwarding: looks up the next hop of every packet by longest prefix
 * match and counts packets and bytes per next hop. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NHOPS 64
#define NROUTES 220000
#define NPACKETS 4000000

struct node {
    struct node *child[2];
    int next_hop;               /* -1: no route ends here */
};

struct fib {
    struct node *root;
    size_t nodes;
};

struct route {
    uint32_t prefix;
    int len;
    int next_hop;
};

struct packet {
    uint32_t src, dst;
    uint16_t len;
    uint8_t ttl, proto;
};

struct hop_stats {
    uint64_t packets, bytes;
};

static uint64_t rng = 88172645463325252ull;

static uint32_t rnd(void)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return (uint32_t)(rng >> 16);
}

static void *xcalloc(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        abort();
    return p;
}

static struct node *node_new(struct fib *f)
{
    struct node *n = xcalloc(1, sizeof *n);
    n->next_hop = -1;
    f->nodes++;
    return n;
}

static void fib_init(struct fib *f)
{
    f->nodes = 0;
    f->root = node_new(f);
}

static void fib_insert(struct fib *f, uint32_t prefix, int len, int next_hop)
{
    struct node *n = f->root;

    for (int i = 0; i < len; i++) {
        int bit = (prefix >> (31 - i)) & 1;
        if (!n->child[bit])
            n->child[bit] = node_new(f);
        n = n->child[bit];
    }
    n->next_hop = next_hop;
}

static int fib_lookup(const struct fib *f, uint32_t addr)
{
    const struct node *n = f->root;
    int best = -1;

    for (int i = 31; n; i--) {
        if (n->next_hop >= 0)
            best = n->next_hop;
        if (i < 0)
            break;
        n = n->child[(addr >> i) & 1];
    }
    return best;
}

static void make_routes(struct route *r, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t k = rnd() % 100;
        int len = k < 55 ? 24 : k < 85 ? 19 + (int)(rnd() % 5) : k < 97 ? 14 + (int)(rnd() % 5)
                : 25 + (int)(rnd() % 6);
        uint32_t a = ((1 + rnd() % 200) << 24) | (rnd() & 0xffffff);
        r[i].len = len;
        r[i].prefix = a & ~(uint32_t)(0xffffffffull >> len);
        r[i].next_hop = (int)(rnd() % NHOPS);
    }
}

static void make_packets(struct packet *p, int n, const struct route *r, int nr)
{
    for (int i = 0; i < n; i++) {
        const struct route *t = &r[rnd() % nr];
        p[i].src = rnd();
        p[i].dst = rnd() % 50 == 0 ? rnd() : t->prefix | (uint32_t)(rnd() & (0xffffffffull >> t->len));
        p[i].len = (uint16_t)(40 + rnd() % 1460);
        p[i].ttl = (uint8_t)(rnd() % 64);
        p[i].proto = 6;
    }
}

int main(void)
{
    struct route *routes = xcalloc(NROUTES, sizeof *routes);
    struct packet *pkts = xcalloc(NPACKETS, sizeof *pkts);
    static struct hop_stats st[NHOPS];
    uint64_t no_route = 0, expired = 0, sum = 0;
    struct fib fib;

    make_routes(routes, NROUTES);
    make_packets(pkts, NPACKETS, routes, NROUTES);

    fib_init(&fib);
    fib_insert(&fib, 0x0a000000, 8, 0);
    for (int i = 0; i < NROUTES; i++)
        fib_insert(&fib, routes[i].prefix, routes[i].len, routes[i].next_hop);

    for (int i = 0; i < NPACKETS; i++) {
        struct packet *p = &pkts[i];
        if (p->ttl <= 1) {
            expired++;
            continue;
        }
        p->ttl--;
        int hop = fib_lookup(&fib, p->dst);
        if (hop < 0) {
            no_route++;
            continue;
        }
        st[hop].packets++;
        st[hop].bytes += p->len;
    }

    for (int i = 0; i < NHOPS; i++)
        sum = sum * 1000003 + st[i].packets * 31 + st[i].bytes;
    for (int i = 0; i < 4; i++)
        printf("hop %d: %llu packets %llu bytes\n", i, (unsigned long long)st[i].packets,
               (unsigned long long)st[i].bytes);
    printf("no route %llu, ttl expired %llu, checksum %016llx\n", (unsigned long long)no_route,
           (unsigned long long)expired, (unsigned long long)sum);
    return 0;
}
