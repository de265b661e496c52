/* A sliding-window compressor: at every place the longest match is looked for among the
 * last MAX_CHAIN places that begin alike; then the cheapest way through is taken. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 32768
#define MIN_MATCH 4
#define MAX_MATCH 130
#define MAX_CHAIN 128
#define HASH_BITS 15

typedef struct {
    uint8_t *data;
    size_t size;
} Buffer;

static uint32_t seed = 20240607u;

static uint32_t rnd(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* Text like a service's event log: a few kinds of line with changing values. */
static void make_text(uint8_t *p, size_t n)
{
    static const char *hosts[] = {"gateway", "ingest", "storage", "billing", "mailer"};
    static const char *events[] = {
        "level=info msg=\"request finished\" status=200",
        "level=info msg=\"request finished\" status=304",
        "level=warn msg=\"slow request\" status=200",
        "level=info msg=\"cache refreshed\" entries=4096",
        "level=error msg=\"upstream timed out\" status=504"};
    size_t k = 0;
    unsigned t = 30000;
    while (k + 200 < n) {
        uint32_t a = rnd(), b = rnd();
        t += a % 7;
        k += (size_t)sprintf((char *)p + k, "2024-06-07T%02u:%02u:%02u.%03uZ host=%s-%u %s bytes=%u ms=%u\n",
                             t / 3600 % 24, t / 60 % 60, t % 60, (a >> 5) % 1000, hosts[b % 5], (b >> 4) % 4,
                             events[(b >> 8) % 5], (a >> 8) % 20000, (b >> 12) % 500);
    }
    while (k < n)
        p[k++] = '.';
}

/* Chains of the earlier places whose first MIN_MATCH bytes have the same hash. */
typedef struct {
    const uint8_t *text;
    size_t size;
    size_t entered;
    int32_t head[1 << HASH_BITS];
    int32_t prev[WINDOW];
} Finder;

static void finder_open(Finder *f, const uint8_t *text, size_t size)
{
    f->text = text;
    f->size = size;
    f->entered = 0;
    memset(f->head, 0xFF, sizeof f->head);
}

static uint32_t load4(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

static uint32_t hash4(const uint8_t *p)
{
    uint32_t v = load4(p);
    return (v * 2654435761u) >> (32 - HASH_BITS);
}

static int match_length(const uint8_t *a, const uint8_t *b, int limit)
{
    int len = 0;
    while (len + 8 <= limit) {
        uint64_t x, y;
        memcpy(&x, a + len, 8);
        memcpy(&y, b + len, 8);
        if (x != y)
            return len + __builtin_ctzll(x ^ y) / 8;
        len += 8;
    }
    while (len < limit && a[len] == b[len])
        len++;
    return len;
}

static int longest_match(Finder *f, size_t pos, size_t *distance)
{
    size_t limit = f->size - pos;
    int32_t lowest = pos > WINDOW ? (int32_t)(pos - WINDOW) : 0;
    int best = MIN_MATCH - 1;
    int tries = MAX_CHAIN;
    if (limit > MAX_MATCH)
        limit = MAX_MATCH;
    if (limit < MIN_MATCH)
        return 0;
    for (; f->entered < pos; f->entered++) {
        uint32_t h = hash4(f->text + f->entered);
        f->prev[f->entered % WINDOW] = f->head[h];
        f->head[h] = (int32_t)f->entered;
    }
    int32_t cand = f->head[hash4(f->text + pos)];
    for (; cand >= lowest && tries > 0; cand = f->prev[cand % WINDOW], tries--) {
        /* longer than the best so far only if the four bytes that end there agree */
        if (load4(f->text + cand + best - 3) != load4(f->text + pos + best - 3))
            continue;
        int len = match_length(f->text + cand, f->text + pos, (int)limit);
        if (len > best) {
            best = len;
            *distance = pos - (size_t)cand;
            if (len == (int)limit)
                break;
        }
    }
    return best;
}

static void compress(const uint8_t *text, size_t size, Buffer *out, long *matches, long *literals)
{
    Finder f;
    int *length = malloc(size * sizeof *length);
    size_t *distance = malloc(size * sizeof *distance);
    uint32_t *cost = malloc((size + 1) * sizeof *cost);

    finder_open(&f, text, size);
    for (size_t pos = 0; pos < size; pos++)
        length[pos] = longest_match(&f, pos, &distance[pos]);

    cost[size] = 0;
    for (size_t pos = size; pos-- > 0;) {
        cost[pos] = cost[pos + 1] + 1;
        if (length[pos] >= MIN_MATCH && cost[pos + (size_t)length[pos]] + 3 < cost[pos])
            cost[pos] = cost[pos + (size_t)length[pos]] + 3;
        else
            length[pos] = 1;
    }

    for (size_t pos = 0; pos < size; pos += (size_t)length[pos]) {
        if (length[pos] >= MIN_MATCH) {
            out->data[out->size++] = (uint8_t)(0x80 | (length[pos] - MIN_MATCH));
            out->data[out->size++] = (uint8_t)((distance[pos] - 1) & 0xFF);
            out->data[out->size++] = (uint8_t)((distance[pos] - 1) >> 8);
            (*matches)++;
        } else {
            out->data[out->size++] = text[pos] & 0x7F;
            (*literals)++;
        }
    }
    free(length);
    free(distance);
    free(cost);
}

static size_t expand(const Buffer *in, uint8_t *text)
{
    size_t n = 0;
    for (size_t i = 0; i < in->size;) {
        uint8_t c = in->data[i++];
        if (c & 0x80) {
            int len = (c & 0x7F) + MIN_MATCH;
            size_t distance = (size_t)in->data[i] + ((size_t)in->data[i + 1] << 8) + 1;
            i += 2;
            for (int j = 0; j < len; j++, n++)
                text[n] = text[n - distance];
        } else {
            text[n++] = c;
        }
    }
    return n;
}

int main(void)
{
    const size_t size = 1700000;
    uint8_t *text = malloc(size), *back = malloc(size);
    Buffer out = {malloc(size * 2), 0};
    long matches = 0, literals = 0;
    make_text(text, size);
    compress(text, size, &out, &matches, &literals);

    uint32_t sum = 1;
    for (size_t i = 0; i < out.size; i++)
        sum = sum * 31u + out.data[i];
    size_t n = expand(&out, back);
    printf("in %zu out %zu matches %ld literals %ld\n", size, out.size, matches, literals);
    printf("checksum %08x\n", sum);
    printf("round trip %s\n", n == size && memcmp(text, back, size) == 0 ? "good" : "BAD");
    return 0;
}
