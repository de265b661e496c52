/* Symbolic differentiation of randomly generated formulas: builds the
 * expression tree, derives it twice, evaluates the results at a few points. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FORMULAS 22000

enum op { NUM, VAR, ADD, SUB, MUL, SIN, COS };

struct expr {
    enum op op;
    double value;
    struct expr *left, *right;
};

static uint32_t state = 2463534242u;
static uint32_t rnd(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static long created;

/* Region allocator: nodes are taken one after the other from large chunks
 * that are kept; all nodes of a formula are released by resetting the cursor. */
#define CHUNK 65536

struct chunk {
    struct chunk *next;
    struct expr nodes[CHUNK];
};

static struct chunk *first_chunk, *chunk;
static size_t used = CHUNK;

static void next_chunk(void)
{
    struct chunk *c = chunk ? chunk->next : first_chunk;
    if (!c) {
        c = malloc(sizeof *c);
        if (!c) {
            perror("malloc");
            exit(1);
        }
        c->next = NULL;
        if (chunk)
            chunk->next = c;
        else
            first_chunk = c;
    }
    chunk = c;
    used = 0;
}

static inline struct expr *make(enum op op, double value, struct expr *l, struct expr *r)
{
    if (used == CHUNK)
        next_chunk();
    struct expr *e = &chunk->nodes[used++];
    created++;
    e->op = op;
    e->value = value;
    e->left = l;
    e->right = r;
    return e;
}

static void release_all(void)
{
    chunk = first_chunk;
    used = 0;
}

static struct expr *random_formula(int depth)
{
    if (depth == 0 || rnd() % 9 == 0)
        return rnd() % 3 ? make(VAR, 0, NULL, NULL)
                         : make(NUM, (double)(rnd() % 100) / 50 - 1, NULL, NULL);
    switch (rnd() % 6) {
    case 0: return make(SIN, 0, random_formula(depth - 1), NULL);
    case 1: return make(COS, 0, random_formula(depth - 1), NULL);
    case 2: return make(SUB, 0, random_formula(depth - 1), random_formula(depth - 1));
    case 3: return make(ADD, 0, random_formula(depth - 1), random_formula(depth - 1));
    default: return make(MUL, 0, random_formula(depth - 1), random_formula(depth - 1));
    }
}

static struct expr *copy(const struct expr *e)
{
    return e ? make(e->op, e->value, copy(e->left), copy(e->right)) : NULL;
}

static struct expr *derive(const struct expr *e)
{
    switch (e->op) {
    case NUM: return make(NUM, 0, NULL, NULL);
    case VAR: return make(NUM, 1, NULL, NULL);
    case ADD:
    case SUB: return make(e->op, 0, derive(e->left), derive(e->right));
    case MUL:
        return make(ADD, 0, make(MUL, 0, derive(e->left), copy(e->right)),
                    make(MUL, 0, copy(e->left), derive(e->right)));
    case SIN: return make(MUL, 0, make(COS, 0, copy(e->left), NULL), derive(e->left));
    case COS:
        return make(SUB, 0, make(NUM, 0, NULL, NULL),
                    make(MUL, 0, make(SIN, 0, copy(e->left), NULL), derive(e->left)));
    }
    return NULL;
}

static double eval(const struct expr *e, double x)
{
    switch (e->op) {
    case NUM: return e->value;
    case VAR: return x;
    case ADD: return eval(e->left, x) + eval(e->right, x);
    case SUB: return eval(e->left, x) - eval(e->right, x);
    case MUL: return eval(e->left, x) * eval(e->right, x);
    case SIN: return sin(eval(e->left, x));
    case COS: return cos(eval(e->left, x));
    }
    return 0;
}

int main(void)
{
    double sum0 = 0, sum1 = 0, sum2 = 0;
    for (int i = 0; i < FORMULAS; i++) {
        struct expr *f = random_formula(7);
        struct expr *d1 = derive(f);
        struct expr *d2 = derive(d1);
        double x = (double)(i % 100) / 100;
        sum0 += eval(f, x);
        sum1 += atan(eval(d1, x));
        if (i % 8 == 0)
            sum2 += atan(eval(d2, x));
        release_all();
    }
    printf("nodes %ld\nf %.12g\nf' %.12g\nf'' %.12g\n", created, sum0, sum1, sum2);
    return 0;
}
