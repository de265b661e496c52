/* Cells, row by row. */
#include "neural.h"

#include "case.h"
#include "pointers.h"
#include "random.h"

double **place, **movement;
int *type;
static double *path;
static int *divisions;

double **rows_new(int rows, int columns)
{
    double **new = case_memory((size_t)rows, sizeof *new);
    for (int i = 0; i < rows; i++)
        new[i] = case_memory((size_t)columns, sizeof **new);
    return new;
}

void cells_new(const struct parameters *p)
{
    place = rows_new(p->cells, 3);
    movement = rows_new(p->cells, 3);
    type = case_memory((size_t)p->cells, sizeof *type);
    path = case_memory((size_t)p->cells, sizeof *path);
    divisions = case_memory((size_t)p->cells, sizeof *divisions);
    for (int d = 0; d < 3; d++)
        place[0][d] = 0.5;
    type[0] = 1;
}

int cells_wander_and_divide(const struct parameters *p, int cells, int step)
{
    int now = cells;
    for (int c = 0; c < cells; c++) {
        double direction[3];
        random_direction(p->seed, step, c, WANDER, direction);
        for (int d = 0; d < 3; d++)
            place[c][d] += 0.1 * direction[d];
        path[c] += 0.1;
        if (divisions[c] < p->divisions && path[c] > p->path_to_divide && now < p->cells) {
            path[c] -= p->path_to_divide;
            divisions[c]++;
            divisions[now] = divisions[c];
            type[now] = -type[c];
            random_direction(p->seed, step, c, OFFSPRING, direction);
            for (int d = 0; d < 3; d++)
                place[now][d] = place[c][d] + 0.05 * direction[d];
            now++;
        }
    }
    return now;
}

void cells_stay_inside(int cells)
{
    for (int c = 0; c < cells; c++)
        for (int d = 0; d < 3; d++) {
            if (place[c][d] < 0)
                place[c][d] = 0;
            if (place[c][d] > 1)
                place[c][d] = 1;
        }
}

void cells_move(int cells)
{
    for (int c = 0; c < cells; c++)
        for (int d = 0; d < 3; d++)
            place[c][d] += movement[c][d];
    cells_stay_inside(cells);
}

void cells_get(int cell, double at[3], int *of_type)
{
    for (int d = 0; d < 3; d++)
        at[d] = place[cell][d];
    *of_type = type[cell];
}
