/* Clears the film row by row, as it is stored. */
#include "render.h"

void clear(struct film *film)
{
    for (int y = 0; y < film->height; y++)
        for (int x = 0; x < film->width; x++) {
            struct pixel *pixel = &film->pixel[(long)y * film->width + x];
            float sky = 1 - 0.5f * (float)y / (float)film->height;
            pixel->red = 0.6f * sky;
            pixel->green = 0.7f * sky;
            pixel->blue = sky;
            pixel->rays = 0;
        }
}

void trace(struct film *film, const struct scene *scene, int phase)
{
    for (int row = 0; row * STEP < film->height; row++)
        trace_row(film, scene, phase, row);
}
