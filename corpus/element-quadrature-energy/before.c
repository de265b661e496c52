/* Strain energy and load vector of a nonlinear diffusion problem on a mesh of
 * hexahedral spectral elements: nodal values are interpolated to the quadrature
 * points, the material law is applied there, and the result is tested against
 * the basis functions again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NP 5            /* nodes per direction (order 4) */
#define NQ 6            /* Gauss points per direction */
#define NELEM 3000

static double basis[NQ][NP];    /* basis[q][i]: value of function i at point q */
static double weight[NQ];

static void gauss_legendre(int n, double *x, double *w)
{
    for (int i = 0; i < n; i++) {
        double z = cos(M_PI * (i + 0.75) / (n + 0.5)), pp = 1.0;
        for (int it = 0; it < 50; it++) {
            double p1 = 1.0, p2 = 0.0;
            for (int j = 0; j < n; j++) {
                double p3 = p2;
                p2 = p1;
                p1 = ((2.0 * j + 1.0) * z * p2 - j * p3) / (j + 1);
            }
            pp = n * (z * p1 - p2) / (z * z - 1.0);
            z -= p1 / pp;
        }
        x[i] = z;
        w[i] = 2.0 / ((1.0 - z * z) * pp * pp);
    }
}

static void setup_basis(void)
{
    double xq[NQ];
    double xn[NP] = {-1.0, -sqrt(3.0 / 7.0), 0.0, sqrt(3.0 / 7.0), 1.0};
    gauss_legendre(NQ, xq, weight);
    for (int q = 0; q < NQ; q++)
        for (int i = 0; i < NP; i++) {
            double l = 1.0;
            for (int m = 0; m < NP; m++)
                if (m != i)
                    l *= (xq[q] - xn[m]) / (xn[i] - xn[m]);
            basis[q][i] = l;
        }
}

static void interpolate(double u[NP][NP][NP], double uq[NQ][NQ][NQ])
{
    for (int a = 0; a < NQ; a++)
        for (int b = 0; b < NQ; b++)
            for (int c = 0; c < NQ; c++) {
                double s = 0.0;
                for (int i = 0; i < NP; i++)
                    for (int j = 0; j < NP; j++)
                        for (int k = 0; k < NP; k++)
                            s += basis[a][i] * basis[b][j] * basis[c][k] * u[i][j][k];
                uq[a][b][c] = s;
            }
}

static void integrate(double fq[NQ][NQ][NQ], double r[NP][NP][NP])
{
    for (int i = 0; i < NP; i++)
        for (int j = 0; j < NP; j++)
            for (int k = 0; k < NP; k++) {
                double s = 0.0;
                for (int a = 0; a < NQ; a++)
                    for (int b = 0; b < NQ; b++)
                        for (int c = 0; c < NQ; c++)
                            s += basis[a][i] * basis[b][j] * basis[c][k] * fq[a][b][c];
                r[i][j][k] += s;
            }
}

static double element(double u[NP][NP][NP], double r[NP][NP][NP], double jac)
{
    double uq[NQ][NQ][NQ], energy = 0.0;
    interpolate(u, uq);
    for (int a = 0; a < NQ; a++)
        for (int b = 0; b < NQ; b++)
            for (int c = 0; c < NQ; c++) {
                double w = jac * weight[a] * weight[b] * weight[c];
                double v = uq[a][b][c];
                energy += w * (0.5 * v * v + 0.25 * v * v * v * v);
                uq[a][b][c] = w * (v + v * v * v);
            }
    integrate(uq, r);
    return energy;
}

int main(void)
{
    double (*u)[NP][NP][NP] = malloc(NELEM * sizeof *u);
    double (*r)[NP][NP][NP] = calloc(NELEM, sizeof *r);
    if (!u || !r)
        return 1;
    setup_basis();
    for (int e = 0; e < NELEM; e++)
        for (int n = 0; n < NP * NP * NP; n++)
            (&u[e][0][0][0])[n] = sin(0.013 * e + 0.7 * n) * 0.8 + 0.1;

    for (int it = 0; it < 10; it++) {
        double energy = 0.0, norm = 0.0;
        for (int e = 0; e < NELEM; e++)
            energy += element(u[e], r[e], 0.1 + 0.001 * (e % 17));
        double *un = &u[0][0][0][0], *rn = &r[0][0][0][0];
        for (int n = 0; n < NELEM * NP * NP * NP; n++) {
            norm += rn[n] * rn[n];
            un[n] -= 0.5 * rn[n];
            rn[n] = 0.0;
        }
        printf("iteration %d  energy %.12e  gradient %.12e\n", it, energy, sqrt(norm));
    }
    printf("u[10] %.12e  u[2000] %.12e\n", u[10][1][2][3], u[2000][4][0][2]);
    free(u);
    free(r);
    return 0;
}
