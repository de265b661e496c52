/* Renders frames of a scene of mirroring spheres above a plane, and adds up the pixels of the film. */
#include "case.h"
#include "render.h"

#include <math.h>

int main(int argc, char **argv)
{
    struct film film = {
        .width = (int)case_option(argc, argv, "--width", 128),
        .height = (int)case_option(argc, argv, "--height", 96),
    };
    int frames = (int)case_option(argc, argv, "--frames", 1);
    size_t pixels = (size_t)film.width * (size_t)film.height;
    film.pixel = case_memory(pixels, sizeof *film.pixel);
    struct scene scene = {.count = 40, .light = {0.6, 0.64, -0.48}};
    uint64_t state = 1;
    for (int i = 0; i < scene.count; i++)
        scene.sphere[i] = (struct sphere){
            .centre = {8 * case_random(&state) - 4, 3 * case_random(&state) - 1, 4 + 8 * case_random(&state)},
            .radius = 0.3 + 0.5 * case_random(&state),
            .mirror = 0.5 * case_random(&state),
            .red = (float)case_random(&state),
            .green = (float)case_random(&state),
            .blue = (float)case_random(&state),
        };

    double start = case_seconds();
    for (int frame = 0; frame < frames; frame++) {
        clear(&film);
        trace(&film, &scene, frame);
    }
    double seconds = case_seconds() - start;

    double red = 0, green = 0, blue = 0, rays = 0;
    for (size_t i = 0; i < pixels; i++) {
        red += film.pixel[i].red;
        green += film.pixel[i].green;
        blue += film.pixel[i].blue;
        rays += film.pixel[i].rays;
    }
    case_print("seconds", seconds);
    case_print("bytes", (double)(pixels * sizeof *film.pixel) * frames);
    case_print("working_set", (double)(pixels * sizeof *film.pixel));
    case_print("red", red / (double)pixels);
    case_print("green", green / (double)pixels);
    case_print("blue", blue / (double)pixels);
    case_print("rays", rays);
    return 0;
}
