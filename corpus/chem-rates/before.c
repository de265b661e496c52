/* Gas-phase chemistry box: explicit integration of a reaction mechanism in
 * every cell of an air-quality grid. */
#include <stdio.h>
#include <stdlib.h>

enum { NSPEC = 48, NREAC = 140, NCELL = 20000, NSTEP = 100 };

struct mechanism {
    int nreac;
    double k[NREAC];
    int rstart[NREAC + 1];      /* reactants of reaction r: rspec[rstart[r]..] */
    int rspec[NREAC * 3];
    int pstart[NREAC + 1];      /* products likewise, with yields */
    int pspec[NREAC * 4];
    double yield[NREAC * 4];
};

static unsigned seed = 12345u;
static unsigned rnd(unsigned n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void make_mechanism(struct mechanism *m)
{
    int nr = 0, np = 0;
    m->nreac = NREAC;
    for (int r = 0; r < NREAC; r++) {
        m->rstart[r] = nr;
        m->pstart[r] = np;
        int a = 1 + (int)rnd(3), b = 1 + (int)rnd(4);
        for (int i = 0; i < a; i++)
            m->rspec[nr++] = (int)rnd(NSPEC);
        for (int i = 0; i < b; i++) {
            m->pspec[np] = (int)rnd(NSPEC);
            m->yield[np++] = (double)a / b;
        }
        m->k[r] = 0.01 * (1 + rnd(100));
    }
    m->rstart[NREAC] = nr;
    m->pstart[NREAC] = np;
}

static void chem_step(const struct mechanism *m, double *conc, int ncell, double dt)
{
    double tend[NSPEC];
    for (int c = 0; c < ncell; c++) {
        double *y = conc + (size_t)c * NSPEC;
        for (int s = 0; s < NSPEC; s++)
            tend[s] = 0.0;
        for (int r = 0; r < m->nreac; r++) {
            double rate = m->k[r];
            for (int i = m->rstart[r]; i < m->rstart[r + 1]; i++)
                rate *= y[m->rspec[i]];
            for (int i = m->rstart[r]; i < m->rstart[r + 1]; i++)
                tend[m->rspec[i]] -= rate;
            for (int i = m->pstart[r]; i < m->pstart[r + 1]; i++)
                tend[m->pspec[i]] += m->yield[i] * rate;
        }
        for (int s = 0; s < NSPEC; s++) {
            y[s] += dt * tend[s];
            if (y[s] < 0.0)
                y[s] = 0.0;
        }
    }
}

int main(void)
{
    static struct mechanism m;
    make_mechanism(&m);
    double *conc = malloc(sizeof(double) * NCELL * NSPEC);
    for (int i = 0; i < NCELL * NSPEC; i++)
        conc[i] = 0.1 + 0.001 * rnd(500);
    for (int t = 0; t < NSTEP; t++) {
        chem_step(&m, conc, NCELL, 0.01);
        if (t % 25 == 24) {
            double sum = 0.0;
            for (int i = 0; i < NCELL * NSPEC; i++)
                sum += conc[i];
            printf("step %d total %.10g cell17 %.10g %.10g\n", t + 1, sum,
                   conc[17 * NSPEC], conc[17 * NSPEC + 5]);
        }
    }
    for (int s = 0; s < NSPEC; s += 7)
        printf("%d %.10g\n", s, conc[1234 * NSPEC + s]);
    free(conc);
    return 0;
}
