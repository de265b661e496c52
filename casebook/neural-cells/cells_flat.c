/* Cells, with contiguous coordinates. */
#include "neural.h"

#include "case.h"
#include "flat.h"
#include "random.h"

double *place, *movement;
int *type;
static double *path;
static int *divisions;

void cells_new(const struct parameters *p)
{
    place = case_memory(3 * (size_t)p->cells, sizeof *place);
    movement = case_memory(3 * (size_t)p->cells, sizeof *place);
    type = case_memory((size_t)p->cells, sizeof *type);
    path = case_memory((size_t)p->cells, sizeof *path);
    divisions = case_memory((size_t)p->cells, sizeof *divisions);
    for (int d = 0; d < 3; d++)
        place[d] = 0.5;
    type[0] = 1;
}

int cells_wander_and_divide(const struct parameters *p, int cells, int step)
{
    int now = cells;
    for (int c = 0; c < cells; c++) {
        double direction[3];
        random_direction(p->seed, step, c, WANDER, direction);
        for (int d = 0; d < 3; d++)
            place[3 * c + d] += 0.1 * direction[d];
        path[c] += 0.1;
        if (divisions[c] < p->divisions && path[c] > p->path_to_divide && now < p->cells) {
            path[c] -= p->path_to_divide;
            divisions[c]++;
            divisions[now] = divisions[c];
            type[now] = -type[c];
            random_direction(p->seed, step, c, OFFSPRING, direction);
            for (int d = 0; d < 3; d++)
                place[3 * now + d] = place[3 * c + d] + 0.05 * direction[d];
            now++;
        }
    }
    return now;
}

void cells_stay_inside(int cells)
{
    for (int c = 0; c < cells; c++)
        for (int d = 0; d < 3; d++) {
            if (place[3 * c + d] < 0)
                place[3 * c + d] = 0;
            if (place[3 * c + d] > 1)
                place[3 * c + d] = 1;
        }
}

void cells_move(int cells)
{
    for (int c = 0; c < cells; c++)
        for (int d = 0; d < 3; d++)
            place[3 * c + d] += movement[3 * c + d];
    cells_stay_inside(cells);
}

void cells_get(int cell, double at[3], int *of_type)
{
    for (int d = 0; d < 3; d++)
        at[d] = place[3 * cell + d];
    *of_type = type[cell];
}
