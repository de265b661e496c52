/* Blocks of the two outer loops: whole rows, few of them in each plane, so that three planes of a block stay in the cache. */
#include "stencil.h"

const struct block usual = { 16, 16 };

void relax(struct grid g, struct block b, const double *restrict u, double *restrict v)
{
    for (long kb = 1; kb < g.z - 1; kb += b.outer)
        for (long jb = 1; jb < g.y - 1; jb += b.inner)
            for (long k = kb; k < lesser(kb + b.outer, g.z - 1); k++)
                for (long j = jb; j < lesser(jb + b.inner, g.y - 1); j++) {
                    long row = (k * g.y + j) * g.x;
                    relax_row(g, u + row, v + row, 1, g.x - 1);
                }
}
