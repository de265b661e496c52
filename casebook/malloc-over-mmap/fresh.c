/* The work array of a step is made for it, with room for the largest patch. */
#include "patch.h"

#include <stdio.h>
#include <stdlib.h>

double integral(long room, int points, int step)
{
    double *source = malloc((size_t)room * sizeof *source);
    if (!source) {
        fprintf(stderr, "no memory for %ld points\n", room);
        exit(1);
    }
    double sum = integral_in(source, points, step);
    free(source);
    return sum;
}
