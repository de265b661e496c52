/* Test particles drifting in a tabulated force field (64 MB, bilinear interpolation). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define G 2048

struct node { double fx, fy; };
struct particle { double x, y, vx, vy; int id; };

static uint64_t rng = 88172645463325252ULL;

static double uniform(void)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return (double)(rng >> 11) / 9007199254740992.0;
}

static void make_field(struct node *f)
{
    for (int j = 0; j < G; j++)
        for (int i = 0; i < G; i++) {
            f[(size_t)j * G + i].fx = 0.02 * ((i * 37 + j * 11) % 64 - 31.5) / 64.0;
            f[(size_t)j * G + i].fy = 0.02 * ((i * 13 + j * 29) % 64 - 31.5) / 64.0;
        }
}

static void push(const struct node *f, struct particle *p, int n)
{
    for (int k = 0; k < n; k++) {
        int i = (int)p[k].x, j = (int)p[k].y;
        double a = p[k].x - i, b = p[k].y - j;
        const struct node *c = &f[(size_t)j * G + i];
        double fx = (1 - b) * ((1 - a) * c[0].fx + a * c[1].fx)
                  + b * ((1 - a) * c[G].fx + a * c[G + 1].fx);
        double fy = (1 - b) * ((1 - a) * c[0].fy + a * c[1].fy)
                  + b * ((1 - a) * c[G].fy + a * c[G + 1].fy);
        p[k].vx += fx;
        p[k].vy += fy;
        p[k].x += p[k].vx;
        p[k].y += p[k].vy;
        if (p[k].x < 0 || p[k].x >= G - 1) {
            p[k].x -= p[k].vx;
            p[k].vx = -p[k].vx;
        }
        if (p[k].y < 0 || p[k].y >= G - 1) {
            p[k].y -= p[k].vy;
            p[k].vy = -p[k].vy;
        }
    }
}

int main(void)
{
    const int n = 800000, steps = 32;
    struct node *f = malloc((size_t)G * G * sizeof *f);
    struct particle *p = malloc(n * sizeof *p);

    make_field(f);
    for (int k = 0; k < n; k++) {
        p[k].x = uniform() * (G - 1);
        p[k].y = uniform() * (G - 1);
        p[k].vx = 0.2 * (uniform() - 0.5);
        p[k].vy = 0.2 * (uniform() - 0.5);
        p[k].id = k;
    }
    for (int s = 0; s < steps; s++)
        push(f, p, n);

    double energy = 0.0, cx = 0.0, cy = 0.0;
    for (int k = 0; k < n; k++) {
        energy += 0.5 * (p[k].vx * p[k].vx + p[k].vy * p[k].vy);
        cx += p[k].x;
        cy += p[k].y;
        if (p[k].id == 12345 || p[k].id == 654321)
            printf("probe %.10f %.10f\n", p[k].x, p[k].y);
    }
    printf("energy %.10e\ncentre %.8f %.8f\n", energy, cx / n, cy / n);
    free(f);
    free(p);
    return 0;
}
