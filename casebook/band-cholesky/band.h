/* Factors L D L' of symmetric band matrices in rows of band + 1 elements, the diagonal first. */
#ifndef BAND_H
#define BAND_H

#define MOST_BAND 16

int factorise(double *a, int n, int band);
void solve(const double *a, double *x, int n, int band);

#endif
