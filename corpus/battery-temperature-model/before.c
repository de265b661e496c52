/* Battery monitor: estimates charge and cell temperature from a sampled current profile. */
#include <stdio.h>
#include <stdlib.h>

#define N 20000
#define DAYS 14000

struct model {
    double r0, r1, r2;      /* resistance polynomial */
    double tau;             /* thermal time constant, samples */
    double heat;            /* heating per unit of loss */
    double ambient;
};

static void make_profile(double *current, double *soc, int n)
{
    unsigned s = 4242;
    for (int i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        current[i] = 0.2 + (s >> 20) / 1024.0;
        soc[i] = 1.0 - 0.8 * i / n;
    }
}

static double simulate(const struct model *m, const double *restrict current,
                       const double *restrict soc, double *restrict temp, int n,
                       double start, double load)
{
    const double keep = 1.0 - 1.0 / m->tau;
    double t = start;

    for (int i = 0; i < n; i++) {
        double c = current[i] * load;
        double s = soc[i];
        double r = m->r0 + s * (m->r1 + s * m->r2) + 0.02 / (0.05 + s);
        double eff = 1.0 + 0.1 * c / (1.0 + 0.5 * c + 0.03 * c * c);
        double loss = c * c * r * eff / (1.0 + 0.2 * s * c);
        t = keep * t + (1.0 - keep) * (m->ambient + m->heat * loss);
        temp[i] = t;
    }
    return t;
}

int main(void)
{
    double *current = malloc(N * sizeof *current);
    double *soc = malloc(N * sizeof *soc);
    double *temp = malloc(N * sizeof *temp);
    struct model m = { 0.05, -0.03, 0.02, 600.0, 9.0, 21.0 };
    double t = 21.0, hottest = 0.0, sum = 0.0;

    make_profile(current, soc, N);
    for (int d = 0; d < DAYS; d++) {
        t = simulate(&m, current, soc, temp, N, t, 1.0 + 0.3 * (d % 11));
        m.r0 *= 1.00002;     /* the cell ages */
        for (int i = 0; i < N; i += 50)
            if (temp[i] > hottest)
                hottest = temp[i];
        sum += t;
    }
    printf("hottest %.9f\nmean end temperature %.9f\n", hottest, sum / DAYS);
    for (int i = 0; i < N; i += N / 5)
        printf("%d %.9f\n", i, temp[i]);
    free(current);
    free(soc);
    free(temp);
    return 0;
}
