/* Blocks of the two inner loops: columns of small tiles along z. Data in the cache is reused, but every tile begins
 * new lines, new pages and new vectors after a few points. */
#include "stencil.h"

const struct block usual = { 32, 32 };

void relax(struct grid g, struct block b, const double *restrict u, double *restrict v)
{
    for (long jb = 1; jb < g.y - 1; jb += b.outer)
        for (long ib = 1; ib < g.x - 1; ib += b.inner)
            for (long k = 1; k < g.z - 1; k++)
                for (long j = jb; j < lesser(jb + b.outer, g.y - 1); j++) {
                    long row = (k * g.y + j) * g.x;
                    relax_row(g, u + row, v + row, ib, lesser(ib + b.inner, g.x - 1));
                }
}
