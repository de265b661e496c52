// The D3Q19 lattice: nineteen velocities per site, their weights, and the state of the simulation.
//
// Reference: Y. H. Qian, D. d'Humieres, P. Lallemand, Lattice BGK models for Navier-Stokes equation,
// Europhysics Letters 17 (1992) 479.

#ifndef LBM_LATTICE_H
#define LBM_LATTICE_H

#include <stddef.h>

enum { MAX_VELOCITIES = 27 };

// The system: sizes and parameters that are read at run time, so that one program serves several lattices.
struct system {
    int nq;         // number of velocities, 19 here
    int nx, ny, nz; // sites in each direction; the walls add two layers in z
    double tau;     // relaxation time
    double force;   // body force per unit mass along x
};

extern struct system lbsy;

// Velocities, one after the other: lbv[i*3] is x, lbv[i*3+1] is y, lbv[i*3+2] is z of velocity i.
extern int lbv[MAX_VELOCITIES * 3];
extern double lbw[MAX_VELOCITIES];    // weights
extern int lbopposite[MAX_VELOCITIES]; // index of the velocity with opposite direction

// Distributions: lbf[site * nq + i], all velocities of a site together. lbft takes the streamed values.
extern double *lbf, *lbft;

void define_d3q19(void);

// Index of a site. z runs over the walls too: 0 and nz + 1 are solid.
static inline size_t site_index(int x, int y, int z) {
    return ((size_t)z * (size_t)lbsy.ny + (size_t)y) * (size_t)lbsy.nx + (size_t)x;
}

static inline size_t site_count(void) { return (size_t)lbsy.nx * (size_t)lbsy.ny * (size_t)(lbsy.nz + 2); }

#endif
