/* Reads web server logs in the common format and reports traffic by hour, status and path. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINES 12000
#define DAYS 160
#define PATHS 64

struct record {
    unsigned ip[4];
    time_t when;
    char method[8];
    char path[256];
    int status;
    long bytes;
};

struct report {
    long hits_by_hour[24];
    long bytes_by_hour[24];
    long by_status[600];
    long path_bytes[PATHS];
    unsigned long clients;
    long span_first, span_last;
    long bad;
};

static const char *month_names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

static unsigned long long rng_state = 88172645463325252ULL;

static unsigned rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (unsigned)(rng_state >> 11);
}

static char *make_log(size_t *length)
{
    static const int codes[] = {200, 200, 200, 200, 304, 301, 404, 500};
    static const char *verbs[] = {"GET", "GET", "GET", "POST", "HEAD"};
    char *text = malloc((size_t)LINES * 160);
    char *p = text;
    for (int i = 0; i < LINES; i++) {
        int second = (int)((long)i * 86400 / LINES);
        p += sprintf(p, "%u.%u.%u.%u - - [%02d/Mar/2024:%02d:%02d:%02d +0000] \"%s /site/page%u.html HTTP/1.1\" %d %u\n",
                     10 + rng() % 4, rng() % 256, rng() % 256, rng() % 256, 14,
                     second / 3600, second / 60 % 60, second % 60,
                     verbs[rng() % 5], rng() % PATHS, codes[rng() % 8], rng() % 60000);
    }
    *length = (size_t)(p - text);
    return text;
}

static int month_number(const char *name)
{
    for (int i = 0; i < 12; i++)
        if (strcmp(name, month_names[i]) == 0)
            return i;
    return -1;
}

static int parse_line(const char *line, struct record *r)
{
    int day, year, hour, minute, second;
    char month[4];
    int n = sscanf(line, "%u.%u.%u.%u - - [%d/%3s/%d:%d:%d:%d +0000] \"%7s %255s HTTP/1.1\" %d %ld",
                   &r->ip[0], &r->ip[1], &r->ip[2], &r->ip[3], &day, month, &year,
                   &hour, &minute, &second, r->method, r->path, &r->status, &r->bytes);
    if (n != 14)
        return -1;
    struct tm tm;
    memset(&tm, 0, sizeof tm);
    tm.tm_mday = day;
    tm.tm_mon = month_number(month);
    tm.tm_year = year - 1900;
    tm.tm_hour = hour;
    tm.tm_min = minute;
    tm.tm_sec = second;
    r->when = mktime(&tm);
    return 0;
}

static void account(struct report *rep, const struct record *r)
{
    int hour = (int)(r->when / 3600 % 24);
    rep->hits_by_hour[hour]++;
    rep->bytes_by_hour[hour] += r->bytes;
    if (r->status >= 0 && r->status < 600)
        rep->by_status[r->status]++;
    const char *page = strstr(r->path, "page");
    if (page)
        rep->path_bytes[atoi(page + 4) % PATHS] += r->bytes;
    rep->clients += r->ip[0] * 7 + r->ip[1] * 5 + r->ip[2] * 3 + r->ip[3];
    if (rep->span_first == 0 || r->when < rep->span_first)
        rep->span_first = r->when;
    if (r->when > rep->span_last)
        rep->span_last = r->when;
}

static void process_log(const char *text, size_t length, struct report *rep)
{
    char line[512];
    const char *end = text + length;
    while (text < end) {
        const char *nl = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)(nl - text);
        if (n >= sizeof line)
            n = sizeof line - 1;
        memcpy(line, text, n);
        line[n] = '\0';
        struct record r;
        if (parse_line(line, &r) == 0)
            account(rep, &r);
        else
            rep->bad++;
        text = nl + 1;
    }
}

int main(void)
{
    static struct report rep;
    setenv("TZ", "UTC", 1);
    tzset();
    size_t length;
    char *text = make_log(&length);
    for (int day = 0; day < DAYS; day++)
        process_log(text, length, &rep);
    long bytes = 0, pages = 0;
    for (int h = 0; h < 24; h++)
        bytes += rep.bytes_by_hour[h];
    for (int i = 0; i < PATHS; i++)
        pages += rep.path_bytes[i] % 1009 * (i + 1);
    printf("hour 9: %ld hits, bytes %ld, pages %ld\n", rep.hits_by_hour[9], bytes, pages);
    printf("200 %ld 304 %ld 404 %ld 500 %ld bad %ld\n", rep.by_status[200], rep.by_status[304],
           rep.by_status[404], rep.by_status[500], rep.bad);
    printf("clients %lu span %ld..%ld\n", rep.clients, rep.span_first, rep.span_last);
    free(text);
    return 0;
}
