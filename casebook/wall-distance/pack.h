/* The cells' coordinates, each in a separate array, and the loop over blocks; shared by the packed stages. */
#ifndef PACK_H
#define PACK_H

#include "case.h"
#include "wall.h"

enum { BLOCK2 = 8 * 1024 };
#ifndef BLOCK1
#define BLOCK1 1024
#endif

struct packed {
    double *x, *y, *z;
};

static inline struct packed pack(const double (*centre)[3], int cells)
{
    size_t n = (size_t)cells;
    struct packed p = { case_memory(n, sizeof(double)), case_memory(n, sizeof(double)), case_memory(n, sizeof(double)) };
    for (int c = 0; c < cells; c++) {
        p.x[c] = centre[c][0];
        p.y[c] = centre[c][1];
        p.z[c] = centre[c][2];
    }
    return p;
}

static inline void unpack(struct packed p)
{
    free(p.x);
    free(p.y);
    free(p.z);
}

static inline int end_of(int begin, int block, int end)
{
    return end - begin < block ? end : begin + block;
}

/* One block of cells with one of faces; every packed stage defines it. */
static void pairs(struct packed cell, int c1, int c1_end, const struct face *wall, int f1, int f1_end,
                  double *square, int *nearest);

void wall_distance(const double (*centre)[3], int cells, const struct face *wall, int faces, double *square, int *nearest)
{
    struct packed cell = pack(centre, cells);
    for (int f2 = 0; f2 < faces; f2 += BLOCK2)
        for (int c2 = 0; c2 < cells; c2 += BLOCK2)
            for (int f1 = f2; f1 < end_of(f2, BLOCK2, faces); f1 += BLOCK1)
                for (int c1 = c2; c1 < end_of(c2, BLOCK2, cells); c1 += BLOCK1)
                    pairs(cell, c1, end_of(c1, BLOCK1, end_of(c2, BLOCK2, cells)), wall, f1,
                          end_of(f1, BLOCK1, end_of(f2, BLOCK2, faces)), square, nearest);
    unpack(cell);
}

#endif
