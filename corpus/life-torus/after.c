/* Life-like cellular automaton on a torus.  The rule is given in the usual
 * B/S notation; the program reports population and activity. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the cells have a border one cell wide that repeats the opposite edge */
typedef struct {
    int width, height, stride;
    unsigned char *cells;
} world_t;

static int birth[9], survive[9];

static void parse_rule(const char *rule)
{
    int *set = birth;
    for (const char *p = rule; *p; p++) {
        if (*p == 'B')
            set = birth;
        else if (*p == 'S')
            set = survive;
        else if (*p >= '0' && *p <= '8')
            set[*p - '0'] = 1;
    }
}

static world_t new_world(int width, int height)
{
    world_t w = {width, height, width + 2, calloc((size_t)(width + 2) * (height + 2), 1)};
    return w;
}

static unsigned char *row(const world_t *w, int y)
{
    return w->cells + (size_t)(y + 1) * w->stride + 1;
}

static void fill_border(world_t *w)
{
    for (int y = 0; y < w->height; y++) {
        unsigned char *r = row(w, y);
        r[-1] = r[w->width - 1];
        r[w->width] = r[0];
    }
    memcpy(row(w, -1) - 1, row(w, w->height - 1) - 1, (size_t)w->stride);
    memcpy(row(w, w->height) - 1, row(w, 0) - 1, (size_t)w->stride);
}

static long generation(world_t *from, world_t *to)
{
    unsigned char next[18];
    for (int n = 0; n < 9; n++) {
        next[n] = (unsigned char)birth[n];
        next[9 + n] = (unsigned char)survive[n];
    }
    fill_border(from);
    long changed = 0;
    for (int y = 0; y < from->height; y++) {
        const unsigned char *up = row(from, y - 1), *mid = row(from, y), *down = row(from, y + 1);
        unsigned char *out = row(to, y);
        int left = up[-1] + mid[-1] + down[-1];
        int centre = up[0] + mid[0] + down[0];
        for (int x = 0; x < from->width; x++) {
            int right = up[x + 1] + mid[x + 1] + down[x + 1];
            int old = mid[x];
            int new = next[old * 9 + left + centre + right - old];
            out[x] = (unsigned char)new;
            changed += new != old;
            left = centre;
            centre = right;
        }
    }
    return changed;
}

static long population(const world_t *w)
{
    long n = 0;
    for (int y = 0; y < w->height; y++)
        for (int x = 0; x < w->width; x++)
            n += row(w, y)[x];
    return n;
}

int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 900;
    int height = argc > 2 ? atoi(argv[2]) : 700;
    int steps = argc > 3 ? atoi(argv[3]) : 100;
    const char *rule = argc > 4 ? argv[4] : "B36/S23";
    parse_rule(rule);

    world_t a = new_world(width, height);
    world_t b = new_world(width, height);
    unsigned seed = 12345u;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            seed = seed * 1664525u + 1013904223u;
            row(&a, y)[x] = (seed >> 24) < 90;
        }
    }

    for (int s = 0; s < steps; s++) {
        long changed = generation(&a, &b);
        world_t t = a;
        a = b;
        b = t;
        if (s % 8 == 7)
            printf("generation %3d population %ld changed %ld\n", s + 1, population(&a), changed);
    }
    unsigned hash = 2166136261u;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            hash = (hash ^ row(&a, y)[x]) * 16777619u;
    printf("rule %s hash %08x\n", rule, hash);
    free(a.cells);
    free(b.cells);
    return 0;
}
