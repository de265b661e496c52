/* A lattice-Boltzmann solver: shared by the driver and the stages.
 *
 * D3Q19: Y. H. Qian, D. d'Humieres, P. Lallemand, Lattice BGK models for Navier-Stokes equation, Europhysics Letters 17
 * (1992) 479. The body force enters as in Z. Guo, C. Zheng, B. Shi, Discrete lattice effects on the forcing term in the
 * lattice Boltzmann method, Physical Review E 65 (2002) 046308, to first order in the velocity.
 */
#ifndef LATTICE_H
#define LATTICE_H

/* Read at run time, so that one program serves several lattices. */
typedef struct {
    int nq;         /* number of velocities, 19 here */
    int nx, ny, nz; /* sites in each direction; the walls add two layers in z */
    double tau;     /* relaxation time */
    double force;   /* body force per unit mass along x */
} lattice;

extern lattice lbsy;

/* Allocates this number of velocities, or more where a stage pads, and returns the number of values per site. */
int make_tables(int velocities);

/* Fills one place of the tables. */
void set_velocity(int i, int x, int y, int z, double weight);

/* Density of the distribution f, and its velocity with half of the body force. */
double get_density(const double *f);
void get_velocity(double *v, const double *f, double rho);

/* Equilibrium distribution for density rho and velocity v. */
void get_equilibrium(double *feq, const double *v, double rho);

/* Relaxes the distributions of a row of sites towards equilibrium and adds the body force. */
void collide_row(int sites, double *f);

#endif
