/* Thermal response of a batch of fuel rods with different conductivities:
 * one-dimensional heat conduction in each rod, explicit in time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 1600, RODS = 40, STEPS = 900 };

struct rod {
    double temp[NODES], next[NODES];
    double diffusivity, source, peak;
};

static void simulate(struct rod *r)
{
    for (int t = 0; t < STEPS; t++) {
        for (int i = 1; i < NODES - 1; i++)
            r->next[i] = r->temp[i] + r->diffusivity * (r->temp[i - 1] - 2.0 * r->temp[i] + r->temp[i + 1])
                         + r->source * (1.0 - 1.0e-4 * r->temp[i]);
        for (int i = 1; i < NODES - 1; i++)
            r->temp[i] = r->next[i];
    }
    r->peak = 0.0;
    for (int i = 0; i < NODES; i++)
        if (r->temp[i] > r->peak)
            r->peak = r->temp[i];
}

int main(void)
{
    struct rod *rods = malloc(sizeof(struct rod) * RODS);
    for (int k = 0; k < RODS; k++) {
        memset(&rods[k], 0, sizeof(struct rod));
        rods[k].diffusivity = 0.2 + 0.004 * k;
        rods[k].source = 0.5 + 0.004 * k;
        for (int i = 0; i < NODES; i++)
            rods[k].temp[i] = 300.0;
    }
#pragma omp parallel for schedule(static)
    for (int k = 0; k < RODS; k++)
        simulate(&rods[k]);
    double sum = 0.0;
    for (int k = 0; k < RODS; k++)
        sum += rods[k].peak;
    printf("mean peak %.9f\n", sum / RODS);
    for (int k = 0; k < RODS; k += 8)
        printf("rod %d: peak %.9f near end %.9f\n", k, rods[k].peak, rods[k].temp[5]);
    free(rods);
    return 0;
}
