/* All-against-all distances of genomes from their bottom-s MinHash sketches:
   walk the two sorted sketches together, count the shared hashes among the
   s smallest of the union, turn the Jaccard estimate into a mutation rate. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { GENOMES = 600, FAMILIES = 10, SKETCH = 1500, POOL = 2600, KMER = 21 };

typedef struct {
    int family;
    uint64_t hashes[SKETCH];
} Sketch;

static uint64_t seed = 88172645463325252ull;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 2685821657736338717ull;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A member of a family keeps most of the ancestor's hashes and has its own for the rest. */
static void make_sketch(Sketch *s, int family, const uint64_t *ancestor, unsigned keep)
{
    static uint64_t all[POOL];
    for (int i = 0; i < POOL; i++)
        all[i] = (next_random() >> 40) % 100 < keep ? ancestor[i] : next_random();
    qsort(all, POOL, sizeof all[0], by_value);
    s->family = family;
    for (int i = 0; i < SKETCH; i++)
        s->hashes[i] = all[i];
}

/* Which sketch advances is a coin toss, so it is computed and not branched on. */
static double jaccard(const Sketch *a, const Sketch *b)
{
    size_t i = 0, j = 0;
    int common = 0;
    for (int seen = 0; seen < SKETCH; seen++) {   /* i, j <= seen */
        uint64_t x = a->hashes[i], y = b->hashes[j];
        i += x <= y;
        j += y <= x;
        common += x == y;
    }
    return (double)common / SKETCH;
}

static double distance(double jac)
{
    if (jac <= 0.0)
        return 1.0;
    double d = -log(2.0 * jac / (1.0 + jac)) / KMER;
    return d < 1.0 ? d : 1.0;
}

int main(void)
{
    static uint64_t ancestors[FAMILIES][POOL];
    Sketch *sketches = malloc(GENOMES * sizeof *sketches);
    if (!sketches)
        return 1;
    for (int f = 0; f < FAMILIES; f++)
        for (int i = 0; i < POOL; i++)
            ancestors[f][i] = f > 0 && next_random() % 8 == 0 ? ancestors[f - 1][i] : next_random();
    for (int g = 0; g < GENOMES; g++)
        make_sketch(&sketches[g], g % FAMILIES, ancestors[g % FAMILIES], 55 + (unsigned)(g % 40));

    double within = 0.0, between = 0.0, closest = 2.0;
    long n_within = 0, n_between = 0, unrelated = 0;
    int close_a = 0, close_b = 0;
    for (int a = 0; a < GENOMES; a++)
        for (int b = a + 1; b < GENOMES; b++) {
            double d = distance(jaccard(&sketches[a], &sketches[b]));
            if (d < closest) {
                closest = d;
                close_a = a;
                close_b = b;
            }
            if (d >= 1.0)
                unrelated++;
            if (sketches[a].family == sketches[b].family) {
                within += d;
                n_within++;
            } else {
                between += d;
                n_between++;
            }
        }
    printf("within families:  %ld pairs, mean distance %.9f\n", n_within, within / n_within);
    printf("between families: %ld pairs, mean distance %.9f\n", n_between, between / n_between);
    printf("unrelated pairs: %ld\n", unrelated);
    printf("closest: %d and %d at %.9f\n", close_a, close_b, closest);
    free(sketches);
    return 0;
}
