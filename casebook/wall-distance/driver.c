/* Distance of every cell to the nearest wall face that faces it, and that face: turbulence models need both. */
#include "case.h"
#include "wall.h"

#include <math.h>

/* A sphere in the middle of the domain: faces all over it, with normals outward. Where they come in no order, as mesh
 * generators number them, a nearer face becomes rarer and rarer. */
static void make_wall(struct face *wall, int faces, uint64_t *state)
{
    const double golden = 2.39996322972865332;
    for (int f = 0; f < faces; f++) {
        double z = 1 - (2 * f + 1.0) / faces, r = sqrt(1 - z * z), angle = golden * f;
        double point[3] = { r * cos(angle), r * sin(angle), z };
        for (int d = 0; d < 3; d++)
            wall[f].at[d] = wall[f].normal[d] = point[d];
    }
    for (int f = faces - 1; f > 0; f--) {
        int other = (int)(case_random(state) * (f + 1));
        struct face kept = wall[f];
        wall[f] = wall[other];
        wall[other] = kept;
    }
}

/* A box of cells row by row, as a structured mesh numbers them, without those in the sphere and close to it. Returns how
 * many there are. */
static int make_cells(double (*centre)[3], int edge, uint64_t *state)
{
    int cells = 0;
    for (int i = 0; i < edge * edge * edge; i++) {
        int place[3] = { i % edge, i / edge % edge, i / edge / edge };
        double square = 0;
        for (int d = 0; d < 3; d++) {
            double jitter = 0.2 * case_random(state);
            centre[cells][d] = 4 * (place[d] + 0.4 + jitter) / edge - 2;
            square += centre[cells][d] * centre[cells][d];
        }
        cells += square > 1.21;
    }
    return cells;
}

int main(int argc, char **argv)
{
    int edge = (int)case_option(argc, argv, "--edge", 10);
    int faces = (int)case_option(argc, argv, "--faces", 100);
    size_t most = (size_t)edge * (size_t)edge * (size_t)edge;
    double(*centre)[3] = case_memory(most + 1, sizeof *centre);
    struct face *wall = case_memory((size_t)faces, sizeof *wall);
    double *square = case_memory(most, sizeof *square);
    int *nearest = case_memory(most, sizeof *nearest);
    uint64_t state = 1;
    make_wall(wall, faces, &state);
    int cells = make_cells(centre, edge, &state);
    for (int c = 0; c < cells; c++) {
        square[c] = INFINITY;
        nearest[c] = -1;
    }

    double start = case_seconds();
    wall_distance(centre, cells, wall, faces, square, nearest);
    double seconds = case_seconds() - start;

    double sum = 0, largest = 0, numbers = 0;
    for (int c = 0; c < cells; c++) {
        double distance = sqrt(square[c]);
        sum += distance;
        largest = fmax(largest, distance);
        numbers += nearest[c];
    }
    double pairs = (double)cells * faces;
    case_print("seconds", seconds);
    case_print("flop", 13 * pairs);
    case_print("bytes", 36.0 * cells + 48.0 * faces);
    case_print("working_set", 36.0 * cells);
    case_print("mean", sum / cells);
    case_print("largest", largest);
    case_print("numbers", numbers);
    return 0;
}
