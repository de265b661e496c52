/* Cells in the unit cube that divide, then gather in clusters. Shared by the driver and the stages.
 *
 * A cell has a type, +1 or -1. It gives off the substance of its type, substances spread on a grid and decay, and cells
 * follow the gradient of their own substance and flee the other one.
 */
#ifndef NEURAL_H
#define NEURAL_H

#include <stdint.h>

struct parameters {
    int cells;              /* cells divide up to this number */
    int side;               /* voxels along an edge of the cube */
    int divisions;          /* maximum per cell */
    double path_to_divide;  /* a cell divides after moving this far */
    double diffusion;       /* share of a voxel's substance that goes to its six neighbours in a step */
    double decay;           /* share that vanishes in a step */
    double speed;           /* of cells along the gradient, per step */
    double least_gradient;  /* below this the direction is only rounding error */
    double range;           /* cells closer than this are neighbours */
    int sample;             /* energy and criterion use a cube in the middle with about this number of cells */
    uint64_t seed;
};

/* Pairs of neighbours in the middle cube. */
struct clusters {
    int cells;              /* in the middle cube */
    int64_t same, different;
    double energy;          /* the lower, the better clustered */
};

/* grid_*.c: two substances on side^3 voxels. */
void grid_new(int side);
void grid_produce(int cells);
void grid_diffuse(double diffusion);
void grid_decay(double decay);
void grid_steer(const struct parameters *p, int cells);   /* sets the movement of each cell from the gradients at its place */
double grid_total(int substance);

/* cells_*.c: places, types and movements. */
void cells_new(const struct parameters *p);
int cells_wander_and_divide(const struct parameters *p, int cells, int step);  /* returns their new number */
void cells_move(int cells);                 /* by their movement, but not out of the cube */
void cells_stay_inside(int cells);
void cells_get(int cell, double place[3], int *type);

/* pairs_*.c: the search for neighbours. */
double pairs_energy(const struct parameters *p, int cells);
int pairs_clustered(const struct parameters *p, int cells);
void pairs_count(const struct parameters *p, int cells, int64_t *same, int64_t *different);

#endif
