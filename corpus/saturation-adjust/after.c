/* Cloud microphysics: saturation adjustment.  Where the air is supersaturated,
 * vapour condenses and warms it until both are in equilibrium. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NCELL = 200000, NSTEP = 450 };
static const double LV_CP = 2489.0;   /* latent heat over heat capacity, K */

static inline double qsat(double t, double p)
{
    double c = t - 273.15;
    double es = 611.2 + c * (44.4 + c * (1.43 + c * (0.0265 + c * (3.03e-4 + c * 2.05e-6))));
    return 0.622 * es / (p - 0.378 * es);
}

static inline double dqsat(double t, double p)
{
    double h = 0.01;
    return (qsat(t + h, p) - qsat(t - h, p)) / (2.0 * h);
}

enum { BLOCK = 1024 };

/* Condenses water in the cells that hold too much vapour; returns their number.
 * The wet cells of a block are packed into dense arrays, iterated together, and
 * written back. */
static int adjust(int n, double *t, double *qv, double *qc, const double *p)
{
    int index[BLOCK], wet = 0;
    double ti[BLOCK], qi[BLOCK], pi[BLOCK];
    for (int i0 = 0; i0 < n; i0 += BLOCK) {
        int end = i0 + BLOCK < n ? i0 + BLOCK : n, m = 0;
        double excess[BLOCK];
        for (int i = i0; i < end; i++)
            excess[i - i0] = qv[i] - qsat(t[i], p[i]);
        for (int i = i0; i < end; i++) {
            index[m] = i;
            m += excess[i - i0] > 0.0;
        }
        for (int k = 0; k < m; k++) {
            ti[k] = t[index[k]];
            qi[k] = qv[index[k]];
            pi[k] = p[index[k]];
        }
        double worst;
        int it = 0;
        do {
            double change[BLOCK];
            for (int k = 0; k < m; k++) {
                double d = (qi[k] - qsat(ti[k], pi[k])) / (1.0 + LV_CP * dqsat(ti[k], pi[k]));
                qi[k] -= d;
                ti[k] += LV_CP * d;
                change[k] = fabs(d);
            }
            worst = 0.0;
            for (int k = 0; k < m; k++)
                worst = change[k] > worst ? change[k] : worst;
        } while (worst > 1e-9 && ++it < 8);
        for (int k = 0; k < m; k++) {
            int i = index[k];
            qc[i] += qv[i] - qi[k];
            qv[i] = qi[k];
            t[i] = ti[k];
        }
        wet += m;
    }
    return wet;
}

int main(void)
{
    double *t = malloc(sizeof(double) * NCELL), *qv = malloc(sizeof(double) * NCELL);
    double *qc = calloc(NCELL, sizeof(double)), *p = malloc(sizeof(double) * NCELL);
    unsigned seed = 1;
    for (int i = 0; i < NCELL; i++) {
        p[i] = 70000.0 + 30000.0 * i / NCELL;
        t[i] = 278.0 + 15.0 * i / NCELL;
        qv[i] = 0.9 * qsat(t[i], p[i]);
    }
    for (int s = 1; s <= NSTEP; s++) {
        for (int i = 0; i < NCELL; i++) {   /* turbulent forcing */
            seed = seed * 1664525u + 1013904223u;
            double u = (seed >> 8) * (1.0 / 16777216.0) - 0.5;
            t[i] += 3.0 * u - 0.005 * (t[i] - 283.0);
            qv[i] += 0.02 * (0.9 * qsat(t[i], p[i]) - qv[i]);
        }
        int wet = adjust(NCELL, t, qv, qc, p);
        if (s % 75 == 0) {
            double water = 0.0;
            for (int i = 0; i < NCELL; i++)
                water += qc[i];
            printf("step %d cloudy cells %d water %.9f t0 %.7f\n", s, wet, water, t[NCELL / 3]);
        }
    }
    free(t);
    free(qv);
    free(qc);
    free(p);
    return 0;
}
