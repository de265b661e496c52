/* Shared by the driver and all stages. */
#ifndef WALL_H
#define WALL_H

struct face {
    double at[3], normal[3];
};

/* Lowers square[c] to the squared distance of cell c to the nearest face that faces it, and sets
 * nearest[c] to that face's number. */
void wall_distance(const double (*centre)[3], int cells, const struct face *wall, int faces, double *square, int *nearest);

#endif
