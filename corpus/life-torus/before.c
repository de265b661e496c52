/* Life-like cellular automaton on a torus.  The rule is given in the usual
 * B/S notation; the program reports population and activity. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int width, height;
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

static int cell(const world_t *w, int x, int y)
{
    x = (x + w->width) % w->width;
    y = (y + w->height) % w->height;
    return w->cells[(size_t)y * w->width + x];
}

static int neighbours(const world_t *w, int x, int y)
{
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0)
                n += cell(w, x + dx, y + dy);
    return n;
}

static long generation(const world_t *from, world_t *to)
{
    long changed = 0;
    for (int y = 0; y < from->height; y++) {
        for (int x = 0; x < from->width; x++) {
            int n = neighbours(from, x, y);
            int old = from->cells[(size_t)y * from->width + x];
            int new = old ? survive[n] : birth[n];
            to->cells[(size_t)y * to->width + x] = (unsigned char)new;
            changed += new != old;
        }
    }
    return changed;
}

static long population(const world_t *w)
{
    long n = 0;
    for (size_t i = 0; i < (size_t)w->width * w->height; i++)
        n += w->cells[i];
    return n;
}

int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 900;
    int height = argc > 2 ? atoi(argv[2]) : 700;
    int steps = argc > 3 ? atoi(argv[3]) : 100;
    const char *rule = argc > 4 ? argv[4] : "B36/S23";
    parse_rule(rule);

    world_t a = {width, height, malloc((size_t)width * height)};
    world_t b = {width, height, malloc((size_t)width * height)};
    unsigned seed = 12345u;
    for (size_t i = 0; i < (size_t)width * height; i++) {
        seed = seed * 1664525u + 1013904223u;
        a.cells[i] = (seed >> 24) < 90;
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
    for (size_t i = 0; i < (size_t)width * height; i++)
        hash = (hash ^ a.cells[i]) * 16777619u;
    printf("rule %s hash %08x\n", rule, hash);
    free(a.cells);
    free(b.cells);
    return 0;
}
