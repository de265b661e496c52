/* Flat arrays: coordinate d of a cell is place[3 * cell + d]. */
extern double *place, *movement;
extern int *type;
