/* Static voltage drop in the power grid of a chip: resistors are stamped into
 * a nodal conductance matrix, which is solved by conjugate gradients. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 190
#define NODES (SIDE * SIDE)

typedef struct Element {
    int col;
    double value;
    struct Element *next;
} Element;

typedef struct {
    int a, b;
    double ohms;
} Resistor;

static Element *row_head[NODES];
static double current[NODES], volts[NODES];

static uint64_t rng_state = 0x9E3779B97F4A7C15ull;
static uint32_t rng(void)
{
    rng_state = rng_state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(rng_state >> 33);
}

/* Adds g to the element (row, col), creating it in column order if needed. */
static void stamp(int row, int col, double g)
{
    Element **link = &row_head[row];
    while (*link && (*link)->col < col)
        link = &(*link)->next;
    if (*link && (*link)->col == col) {
        (*link)->value += g;
        return;
    }
    Element *e = malloc(sizeof *e);
    e->col = col;
    e->value = g;
    e->next = *link;
    *link = e;
}

static int make_netlist(Resistor *list)
{
    int n = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int node = y * SIDE + x;
            if (x + 1 < SIDE)
                list[n++] = (Resistor){node, node + 1, 0.5 + (rng() % 1000) * 0.001};
            if (y + 1 < SIDE)
                list[n++] = (Resistor){node, node + SIDE, 0.5 + (rng() % 1000) * 0.001};
            if (x + 8 < SIDE && y % 8 == 0)
                list[n++] = (Resistor){node, node + 8, 0.2};
        }
    /* extraction reports the resistors in no particular order */
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(rng() % (uint32_t)(i + 1));
        Resistor t = list[i];
        list[i] = list[j];
        list[j] = t;
    }
    return n;
}

static void multiply(const double *x, double *y)
{
    for (int i = 0; i < NODES; i++) {
        double sum = 0.0;
        for (const Element *e = row_head[i]; e; e = e->next)
            sum += e->value * x[e->col];
        y[i] = sum;
    }
}

static double dot(const double *a, const double *b)
{
    double s = 0.0;
    for (int i = 0; i < NODES; i++)
        s += a[i] * b[i];
    return s;
}

static int solve(double *x, const double *b, double tol, int max_iter)
{
    static double r[NODES], p[NODES], q[NODES];
    for (int i = 0; i < NODES; i++) {
        x[i] = 0.0;
        r[i] = p[i] = b[i];
    }
    double rr = dot(r, r), stop = tol * tol * rr;
    int it = 0;
    while (it < max_iter && rr > stop) {
        multiply(p, q);
        double alpha = rr / dot(p, q);
        for (int i = 0; i < NODES; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double next = dot(r, r), beta = next / rr;
        for (int i = 0; i < NODES; i++)
            p[i] = r[i] + beta * p[i];
        rr = next;
        it++;
    }
    return it;
}

int main(void)
{
    Resistor *list = malloc(sizeof *list * 4 * NODES);
    int n = make_netlist(list);
    for (int i = 0; i < n; i++) {
        double g = 1.0 / list[i].ohms;
        stamp(list[i].a, list[i].a, g);
        stamp(list[i].b, list[i].b, g);
        stamp(list[i].a, list[i].b, -g);
        stamp(list[i].b, list[i].a, -g);
    }
    for (int i = 0; i < NODES; i++)
        current[i] = 1e-6 * (rng() % 100);
    for (int y = 10; y < SIDE; y += 40)      /* supply pads */
        for (int x = 10; x < SIDE; x += 40)
            stamp(y * SIDE + x, y * SIDE + x, 50.0);

    int its = solve(volts, current, 1e-8, 2000);

    double worst = 0.0, total = 0.0;
    int where = 0;
    for (int i = 0; i < NODES; i++) {
        total += volts[i];
        if (volts[i] > worst) {
            worst = volts[i];
            where = i;
        }
    }
    printf("resistors %d, iterations %d\n", n, its);
    printf("worst drop %.10f V at (%d, %d)\n", worst, where % SIDE, where / SIDE);
    printf("mean drop %.10f V, corner %.10f V\n", total / NODES, volts[NODES - 1]);
    return 0;
}
