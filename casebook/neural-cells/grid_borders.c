/* The substances by flat arrays: voxel (x, y, z) of substance s is number ((s n + x) n + y) n + z.
 * No voxel tests for neighbours. */
#include "voxels.h"

void grid_new(int new_side)
{
    side = new_side;
    size_t voxels = 2 * (size_t)side * (size_t)side * (size_t)side;
    substance = case_memory(voxels, sizeof *substance);
    size_t wide = (size_t)side + 2;
    before = case_memory(2 * wide * wide * wide, sizeof *before);
}

void grid_produce(int cells)
{
    for (int c = 0; c < cells; c++) {
        int x = smaller((int)floor(place[3 * c + 0] * side), side - 1);
        int y = smaller((int)floor(place[3 * c + 1] * side), side - 1);
        int z = smaller((int)floor(place[3 * c + 2] * side), side - 1);
        int s = type[c] == 1 ? 0 : 1;
        substance[at(side, s, x, y, z)] += 0.1;
        if (substance[at(side, s, x, y, z)] > 1)
            substance[at(side, s, x, y, z)] = 1;
    }
}

/* `from` becomes a copy of `to` with a layer of voxels around it that repeat the outermost ones: between voxels with
 * equal contents there is no flow. */
static void copy_with_border(double *from, const double *to, int n)
{
    for (int s = 0; s < 2; s++)
        for (int x = -1; x <= n; x++)
            for (int y = -1; y <= n; y++) {
                const double *row = to + at(n, s, smaller(larger(x, 0), n - 1), smaller(larger(y, 0), n - 1), 0);
                double *copy = from + at(n + 2, s, x + 1, y + 1, 0);
                copy[0] = row[0];
                memcpy(copy + 1, row, (size_t)n * sizeof *copy);
                copy[n + 1] = row[n - 1];
            }
}

static void diffuse(double *to, double *from, int n, double part)
{
    copy_with_border(from, to, n);
    int plane = (n + 2) * (n + 2), row = n + 2;
    for (int s = 0; s < 2; s++)
        for (int x = 0; x < n; x++)
            for (int y = 0; y < n; y++) {
                double *t = to + at(n, s, x, y, 0);
                const double *f = from + at(n + 2, s, x + 1, y + 1, 1);
                for (int z = 0; z < n; z++)
                    t[z] += (f[z + plane] - f[z]) * part + (f[z - plane] - f[z]) * part
                          + (f[z + row] - f[z]) * part + (f[z - row] - f[z]) * part
                          + (f[z + 1] - f[z]) * part + (f[z - 1] - f[z]) * part;
            }
}

void grid_diffuse(double diffusion)
{
    diffuse(substance, before, side, diffusion / 6);
}

static void decay_all(double *of, int n, double left)
{
    for (int s = 0; s < 2; s++)
        for (int x = 0; x < n; x++)
            for (int y = 0; y < n; y++)
                for (int z = 0; z < n; z++)
                    of[at(n, s, x, y, z)] *= left;
}

void grid_decay(double decay)
{
    decay_all(substance, side, 1 - decay);
}

void grid_steer(const struct parameters *p, int cells)
{
    for (int c = 0; c < cells; c++) {
        int x = smaller((int)floor(place[3 * c + 0] * side), side - 1);
        int y = smaller((int)floor(place[3 * c + 1] * side), side - 1);
        int z = smaller((int)floor(place[3 * c + 2] * side), side - 1);
        int right = smaller(x + 1, side - 1), left = larger(x - 1, 0);
        int back = smaller(y + 1, side - 1), front = larger(y - 1, 0);
        int up = smaller(z + 1, side - 1), down = larger(z - 1, 0);
        double gradient[2][3], length[2];
        for (int s = 0; s < 2; s++) {
            gradient[s][0] = (substance[at(side, s, right, y, z)] - substance[at(side, s, left, y, z)]) * side / (right - left);
            gradient[s][1] = (substance[at(side, s, x, back, z)] - substance[at(side, s, x, front, z)]) * side / (back - front);
            gradient[s][2] = (substance[at(side, s, x, y, up)] - substance[at(side, s, x, y, down)]) * side / (up - down);
            double sum = 0;
            for (int d = 0; d < 3; d++)
                sum += gradient[s][d] * gradient[s][d];
            length[s] = sqrt(sum);
        }
        for (int d = 0; d < 3; d++) {
            if (length[0] > p->least_gradient && length[1] > p->least_gradient)
                movement[3 * c + d] = type[c] * (gradient[0][d] / length[0] - gradient[1][d] / length[1]) * p->speed;
            else
                movement[3 * c + d] = 0;
        }
    }
}
