/* A progressive ray tracer: every frame starts with a cleared film and traces one pixel of each STEP x STEP block. */
#ifndef RENDER_H
#define RENDER_H

enum { STEP = 8, MOST_SPHERES = 64 };

struct vec {
    double x, y, z;
};

struct sphere {
    struct vec centre;
    double radius, mirror; /* part of the light that is reflected */
    float red, green, blue;
};

struct scene {
    int count;
    struct sphere sphere[MOST_SPHERES];
    struct vec light; /* direction to it */
};

/* A pixel: its colour, and the number of its rays. */
struct pixel {
    float red, green, blue, rays;
};

struct film {
    int width, height;
    struct pixel *pixel; /* row by row */
};

/* Fills the film with the sky, brighter towards the horizon. */
void clear(struct film *film);

/* Traces one pixel of each block, chosen by `phase`. */
void trace(struct film *film, const struct scene *scene, int phase);

/* The colour that comes in along a ray. */
struct pixel radiance(const struct scene *scene, struct vec origin, struct vec direction);

/* One row of blocks of the film. */
void trace_row(struct film *film, const struct scene *scene, int phase, int row);

#endif
