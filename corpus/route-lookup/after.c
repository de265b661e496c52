/* IPv4 forwarding: looks up the next hop of every packet by longest prefix
 * match and counts packets and bytes per next hop. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NHOPS 64
#define NROUTES 220000
#define NPACKETS 4000000

/* Multibit table, strides 16-8-8. A slot holds a next hop + 1 (0: none), or,
 * with EXT set, the number of the 256-slot block of the next stride. The
 * prefix length that filled a slot is kept apart, for insertion only. */
#define EXT 0x80000000u

struct fib {
    uint32_t top[1 << 16];
    uint8_t top_len[1 << 16];
    uint32_t *slot;             /* blocks of 256 */
    uint8_t *slot_len;
    uint32_t blocks, room;
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

static void fib_init(struct fib *f)
{
    f->room = 1024;
    f->slot = xcalloc((size_t)f->room * 256, sizeof *f->slot);
    f->slot_len = xcalloc((size_t)f->room * 256, 1);
}

static uint32_t block_new(struct fib *f, uint32_t value, uint8_t len)
{
    if (f->blocks == f->room) {
        f->room *= 2;
        f->slot = realloc(f->slot, (size_t)f->room * 256 * sizeof *f->slot);
        f->slot_len = realloc(f->slot_len, (size_t)f->room * 256);
        if (!f->slot || !f->slot_len)
            abort();
    }
    for (int i = 0; i < 256; i++)
        f->slot[f->blocks * 256 + i] = value;
    memset(f->slot_len + f->blocks * 256, len, 256);
    return f->blocks++;
}

static void fill(struct fib *f, uint32_t block, int first, int count, int len, uint32_t value);

static void put(struct fib *f, uint32_t *slot, uint8_t *slot_len, int len, uint32_t value)
{
    if (*slot & EXT) {
        fill(f, *slot & ~EXT, 0, 256, len, value);
    } else if (*slot_len <= len) {
        *slot = value;
        *slot_len = (uint8_t)len;
    }
}

static void fill(struct fib *f, uint32_t block, int first, int count, int len, uint32_t value)
{
    for (int i = first; i < first + count; i++)
        put(f, &f->slot[block * 256 + i], &f->slot_len[block * 256 + i], len, value);
}

static void fib_insert(struct fib *f, uint32_t prefix, int len, int next_hop)
{
    uint32_t value = (uint32_t)next_hop + 1, t = prefix >> 16;

    if (len <= 16) {
        for (uint32_t i = 0; i < 1u << (16 - len); i++)
            put(f, &f->top[t + i], &f->top_len[t + i], len, value);
        return;
    }
    if (!(f->top[t] & EXT))
        f->top[t] = EXT | block_new(f, f->top[t], f->top_len[t]);
    uint32_t block = f->top[t] & ~EXT, k = (prefix >> 8) & 255;
    if (len <= 24) {
        fill(f, block, (int)k, 1 << (24 - len), len, value);
        return;
    }
    size_t at = (size_t)block * 256 + k;
    if (!(f->slot[at] & EXT)) {
        uint32_t b = block_new(f, f->slot[at], f->slot_len[at]);
        f->slot[at] = EXT | b;
    }
    fill(f, f->slot[at] & ~EXT, (int)(prefix & 255), 1 << (32 - len), len, value);
}

static inline int fib_lookup(const struct fib *f, uint32_t addr)
{
    uint32_t v = f->top[addr >> 16];

    if (v & EXT) {
        v = f->slot[(v & ~EXT) * 256 + ((addr >> 8) & 255)];
        if (v & EXT)
            v = f->slot[(v & ~EXT) * 256 + (addr & 255)];
    }
    return (int)v - 1;
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
    static struct fib fib;
    uint64_t no_route = 0, expired = 0, sum = 0;

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
