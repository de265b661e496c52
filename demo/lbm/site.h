// Computations at one site.

#ifndef LBM_SITE_H
#define LBM_SITE_H

// Equilibrium distribution for density rho and velocity v, into feq[0 .. nq).
int get_equilibrium(double *feq, const double *v, double rho);

// Density of the distribution f.
double get_density(const double *f);

// Velocity of the distribution f with density rho, into v[0 .. 3), half of the body force included.
int get_velocity(double *v, const double *f, double rho);

// Relaxes the distribution f towards equilibrium and adds the body force.
void collide_site(double *f);

#endif
