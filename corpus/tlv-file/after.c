/* Reads a telemetry capture (type, length, value records in a file) and
 * gathers per-type statistics. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 900000
#define TYPES 12

struct stats {
    long count;
    long bytes;
    uint32_t hash;
    int64_t sum;
};

static uint64_t seed = 4242;
static uint32_t rnd(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(seed >> 33);
}

static FILE *make_capture(void)
{
    FILE *f = tmpfile();
    if (!f)
        return NULL;
    for (int i = 0; i < RECORDS; i++) {
        uint8_t rec[64];
        uint8_t len = (uint8_t)(4 + rnd() % 28);
        rec[0] = (uint8_t)(rnd() % TYPES);
        rec[1] = len;
        rec[2] = 0;
        for (int k = 0; k < len; k++)
            rec[3 + k] = (uint8_t)(rnd() >> 5);
        fwrite(rec, 1, 3u + len, f);
    }
    fflush(f);
    rewind(f);
    return f;
}

struct reader {
    int fd;
    size_t pos, end;
    uint8_t buf[1 << 17];
};

/* Reads exactly n bytes from the buffer, refilling it in large blocks;
 * returns 0 at the end of the file. */
static int read_bytes(struct reader *r, void *dst, size_t n)
{
    uint8_t *p = dst;
    while (n > 0) {
        if (r->pos == r->end) {
            ssize_t got = read(r->fd, r->buf, sizeof r->buf);
            if (got <= 0)
                return 0;
            r->pos = 0;
            r->end = (size_t)got;
        }
        size_t k = r->end - r->pos < n ? r->end - r->pos : n;
        memcpy(p, r->buf + r->pos, k);
        r->pos += k;
        p += k;
        n -= k;
    }
    return 1;
}

static void scan(int fd, struct stats *st)
{
    static struct reader r;
    uint8_t type, len[2], value[65536];
    r.fd = fd;
    while (read_bytes(&r, &type, 1)) {
        if (!read_bytes(&r, len, 2))
            break;
        size_t n = len[0] | (size_t)len[1] << 8;
        if (!read_bytes(&r, value, n))
            break;
        struct stats *s = &st[type % TYPES];
        int32_t v;
        memcpy(&v, value, 4);
        s->count++;
        s->bytes += (long)n;
        s->sum += v;
        for (size_t i = 0; i < n; i++)
            s->hash = s->hash * 31 + value[i];
    }
}

int main(void)
{
    struct stats st[TYPES];
    memset(st, 0, sizeof st);
    FILE *f = make_capture();
    if (!f) {
        perror("tmpfile");
        return 1;
    }
    lseek(fileno(f), 0, SEEK_SET);
    scan(fileno(f), st);
    fclose(f);
    for (int t = 0; t < TYPES; t++)
        printf("type %2d count %ld bytes %ld sum %lld hash %08x\n", t, st[t].count,
               st[t].bytes, (long long)st[t].sum, st[t].hash);
    return 0;
}
