/* Grows the cells, lets them cluster, and prints how well they are clustered. */
#include "neural.h"

#include "case.h"

/* Cells as points on the face of the cube, a thin slice of it: {"step":..,"points":[[x,y,type],..]}. */
static void picture(FILE *file, const char *before, int step, int cells)
{
    enum { MOST = 2000 };
    const double middle = 0.5, half = 0.1;
    int points = 0;
    fprintf(file, "%s{\"step\":%d,\"points\":[", before, step);
    for (int c = 0; c < cells && points < MOST; c++) {
        double place[3];
        int type;
        cells_get(c, place, &type);
        if (place[2] < middle - half || place[2] > middle + half)
            continue;
        fprintf(file, "%s[%.4f,%.4f,%d]", points ? "," : "", place[0], place[1], type);
        points++;
    }
    fprintf(file, "]}");
}

static FILE *picture_file(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], "--pictures")) {
            FILE *file = fopen(argv[i + 1], "w");
            if (!file) {
                perror(argv[i + 1]);
                exit(1);
            }
            return file;
        }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct parameters p = {
        .cells = (int)case_option(argc, argv, "--cells", 4096),
        .side = (int)case_option(argc, argv, "--side", 30),
        .divisions = 30,
        .path_to_divide = 0.35,
        .diffusion = 0.3,
        .decay = 0.02,
        .speed = 0.005,
        .least_gradient = 1e-6,
        .range = 0.06,
        .sample = (int)case_option(argc, argv, "--sample", 3000),
        .seed = (uint64_t)case_option(argc, argv, "--seed", 7),
    };
    int steps = (int)case_option(argc, argv, "--steps", 100);
    int every = (int)case_option(argc, argv, "--energy-every", 10);
    if (p.cells < 1 || p.side < 2 || p.side > 512 || every < 1) {
        fprintf(stderr, "%s: at least one cell, 2 to 512 voxels along an edge, and a step between two energies\n", argv[0]);
        return 2;
    }
    FILE *pictures = picture_file(argc, argv);
    cells_new(&p);
    grid_new(p.side);

    double start = case_seconds();
    int cells = 1, step = 0;
    /* First the cells wander and divide; the substances exist from the start. */
    while (cells < p.cells && step < 100000) {
        grid_produce(cells);
        grid_diffuse(p.diffusion);
        grid_decay(p.decay);
        cells = cells_wander_and_divide(&p, cells, step++);
        cells_stay_inside(cells);
    }
    int grown = step;
    /* Then they gather. */
    double energy = 0, first_energy = 0;
    for (int i = 0; i < steps; i++) {
        if (i % every == 0) {
            energy = pairs_energy(&p, cells);
            if (i == 0)
                first_energy = energy;
        }
        if (pictures && i % ((steps + 4) / 5) == 0)
            picture(pictures, i ? ",\n" : "{\"title\":\"A slice of the cube: cells of two types gather\",\"frames\":[\n", i, cells);
        grid_produce(cells);
        grid_diffuse(p.diffusion);
        grid_decay(p.decay);
        grid_steer(&p, cells);
        cells_move(cells);
    }
    energy = pairs_energy(&p, cells);
    int clustered = pairs_clustered(&p, cells);
    double seconds = case_seconds() - start;

    if (pictures) {
        picture(pictures, ",\n", steps, cells);
        fprintf(pictures, "\n]}\n");
        if (fclose(pictures)) {
            perror("pictures");
            return 1;
        }
    }
    double sum[3] = { 0 };
    int types = 0;
    for (int c = 0; c < cells; c++) {
        double place[3];
        int type;
        cells_get(c, place, &type);
        for (int d = 0; d < 3; d++)
            sum[d] += place[d];
        types += type;
    }
    int64_t same, different;
    pairs_count(&p, cells, &same, &different);
    double voxels = (double)p.side * p.side * p.side, all_steps = grown + steps;
    case_print("seconds", seconds);
    /* For the grid alone: six neighbours and decay. The result does not need the arithmetic of the search for neighbours. */
    case_print("flop", 2 * voxels * 19 * all_steps);
    case_print("bytes", 2 * voxels * 16 * all_steps);
    case_print("working_set", 2 * voxels * 16);
    case_print("cells", cells);
    case_print("grown_after", grown);
    case_print("type_balance", types);
    case_print("first_energy", first_energy);
    case_print("energy", energy);
    case_print("clustered", clustered);
    case_print("close_same", (double)same);
    case_print("close_different", (double)different);
    case_print("sum_x", sum[0]);
    case_print("sum_y", sum[1]);
    case_print("sum_z", sum[2]);
    case_print("substance_0", grid_total(0));
    case_print("substance_1", grid_total(1));
    return 0;
}
