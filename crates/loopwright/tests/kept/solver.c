/* A small solver: a stencil, a sum in order, a table of structures, a search with an early exit. */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 400, COLUMNS = 500, CELLS = 20000 };

struct cell { double mass, charge, position[3]; };

static double grid[ROWS][COLUMNS], next[ROWS][COLUMNS];
static struct cell cells[CELLS];

static void relax(void)
{
    for (int j = 1; j < COLUMNS - 1; j++)
        for (int i = 1; i < ROWS - 1; i++)
            next[i][j] = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
}

static double total_mass(void)
{
    double sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum += cells[i].mass;
    return sum;
}

static int heaviest_above(double limit)
{
    for (int i = 0; i < CELLS; i++)
        if (cells[i].mass > limit)
            return i;
    return -1;
}

int main(void)
{
    for (int i = 0; i < CELLS; i++)
        cells[i].mass = 1.0 / (i + 1);
    double sum = 0;
    long found = 0;
    for (int step = 0; step < 500; step++) {
        grid[ROWS / 2][COLUMNS / 2] = step;
        relax();
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                grid[i][j] = next[i][j];
        sum += total_mass();
        found += heaviest_above(2.0);
    }
    printf("%.9g %ld\n", sum + grid[10][10], found);
    return 0;
}
