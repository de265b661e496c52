/* The D3Q19 lattice: nineteen velocities for each site, and their weights.
 *
 * Reference: Y. H. Qian, D. d'Humieres, P. Lallemand, Lattice BGK models for Navier-Stokes equation,
 * Europhysics Letters 17 (1992) 479.
 */
#ifndef LATTICE_H
#define LATTICE_H

/* Read at run time, so that one program serves several lattices. */
typedef struct {
    int nq; /* number of velocities, 19 here */
} lattice;

extern lattice lbsy;

/* Allocates this number of velocities, or more where a stage pads, and returns the number of values per site. */
int make_tables(int velocities);

/* Fills one place of the tables. */
void set_velocity(int i, int x, int y, int z, double weight);

/* Equilibrium distributions of many sites, for density rho[s] and velocity v[3*s]. */
void get_equilibria(int sites, const double *v, const double *rho, double *feq);

#endif
