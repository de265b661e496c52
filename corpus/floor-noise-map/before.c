/* Noise map: the level that a set of machines causes on the cells of a floor plan. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NX 320
#define NY 200

struct source {
    double x, y, z;
    double power;
    double reach;
};

static unsigned long rng = 1234567;

static double uniform(void)
{
    rng = (rng * 6364136223846793005UL + 1442695040888963407UL);
    return (double)(rng >> 33) / 2147483648.0;
}

static void add_source(const struct source *s, const double *restrict cx, double cy,
                       double *restrict amp, double *restrict delay, int n)
{
    double dy = cy - s->y;
    double h2 = s->z * s->z + dy * dy;

    for (int i = 0; i < n; i++) {
        double dx = cx[i] - s->x;
        double r = sqrt(dx * dx + h2);
        double g = sqrt(r + s->reach);
        amp[i] += s->power * g;
        delay[i] += r * s->power;
    }
}

int main(void)
{
    int nsrc = 3200;
    struct source *src = malloc(nsrc * sizeof *src);
    double *amp = calloc(NX * NY, sizeof *amp);
    double *delay = calloc(NX * NY, sizeof *delay);
    double cx[NX];

    for (int k = 0; k < nsrc; k++) {
        src[k].x = 80.0 * uniform();
        src[k].y = 50.0 * uniform();
        src[k].z = 1.0 + 3.0 * uniform();
        src[k].power = 0.1 + uniform();
        src[k].reach = 2.0 * uniform();
    }
    for (int i = 0; i < NX; i++)
        cx[i] = 0.25 * i;

    for (int j = 0; j < NY; j++)
        for (int k = 0; k < nsrc; k++)
            add_source(&src[k], cx, 0.25 * j, amp + j * NX, delay + j * NX, NX);

    double total = 0.0, peak = 0.0, dsum = 0.0;
    for (int i = 0; i < NX * NY; i++) {
        total += amp[i];
        dsum += delay[i];
        if (amp[i] > peak)
            peak = amp[i];
    }
    printf("total %.8e peak %.8e delay %.8e\n", total, peak, dsum);
    for (int i = 0; i < NX * NY; i += 9999)
        printf("%d %.8e %.8e\n", i, amp[i], delay[i]);
    free(src);
    free(amp);
    free(delay);
    return 0;
}
