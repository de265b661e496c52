/* All complex roots of many polynomials by the Aberth-Ehrlich iteration, for
 * example of the characteristic polynomials of a family of filters. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DEGREE 28

static unsigned long long state = 42;

static double uniform(void)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) / 9007199254740992.0 - 0.5;
}

static void horner(const double complex *c, double complex z, double complex *p, double complex *dp)
{
    double complex v = c[DEGREE], d = 0;
    for (int k = DEGREE - 1; k >= 0; k--) {
        d = d * z + v;
        v = v * z + c[k];
    }
    *p = v;
    *dp = d;
}

static int aberth(const double complex *c, double complex *z)
{
    for (int i = 0; i < DEGREE; i++)
        z[i] = cexp(I * (2 * M_PI * i / DEGREE + 0.4));
    for (int it = 1; it <= 100; it++) {
        double change = 0;
        for (int i = 0; i < DEGREE; i++) {
            double complex p, dp;
            horner(c, z[i], &p, &dp);
            double complex newton = p / dp, sum = 0;
            for (int j = 0; j < DEGREE; j++)
                if (j != i)
                    sum += 1.0 / (z[i] - z[j]);
            double complex step = newton / (1.0 - newton * sum);
            z[i] -= step;
            change = fmax(change, cabs(step));
        }
        if (change < 1e-11)
            return it;
    }
    return 100;
}

int main(int argc, char **argv)
{
    int polynomials = argc > 1 ? atoi(argv[1]) : 24000;
    double complex c[DEGREE + 1], z[DEGREE];
    double modulus = 0, largest = 0;
    int inside = 0, failed = 0;
    for (int n = 0; n < polynomials; n++) {
        for (int k = 0; k < DEGREE; k++)
            c[k] = uniform() + I * uniform();
        c[DEGREE] = 1.0;
        if (aberth(c, z) == 100)
            failed++;
        for (int i = 0; i < DEGREE; i++) {
            double r = cabs(z[i]);
            modulus += r;
            largest = fmax(largest, r);
            inside += r < 1.0;
        }
        if (n % 6000 == 0)
            printf("polynomial %d: sum of roots %.9f %.9f\n", n, -creal(c[DEGREE - 1]), -cimag(c[DEGREE - 1]));
    }
    printf("failed %d inside unit circle %d\n", failed, inside);
    printf("mean modulus %.9f largest %.9f\n", modulus / polynomials / DEGREE, largest);
    return 0;
}
