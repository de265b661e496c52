/* The work array is made by the first step and kept for the others. */
#include "patch.h"

#include <stdio.h>
#include <stdlib.h>

double integral(long room, int points, int step)
{
    static double *source;
    if (!source)
        source = malloc((size_t)room * sizeof *source);
    if (!source) {
        fprintf(stderr, "no memory for %ld points\n", room);
        exit(1);
    }
    return integral_in(source, points, step);
}
