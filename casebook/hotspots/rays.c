/* Shared by all stages of the ray tracer: a ray against all spheres and a plane, a shadow, and a few reflections. */
#include "render.h"

#include <math.h>

/* After this number of reflections a ray carries almost no light. */
enum { BOUNCES = 3 };
/* A ray does not hit its starting point again. */
static const double NEAREST = 1e-6, FARTHEST = 1e9, FLOOR = -1.5;

static struct vec add(struct vec a, struct vec b, double factor)
{
    return (struct vec){a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

static double dot(struct vec a, struct vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* How far along the ray the nearest sphere is; `hit` becomes its number, or -1. */
static double nearest(const struct scene *scene, struct vec origin, struct vec direction, int *hit)
{
    double distance = FARTHEST;
    *hit = -1;
    for (int i = 0; i < scene->count; i++) {
        const struct sphere *sphere = &scene->sphere[i];
        struct vec to_centre = add(sphere->centre, origin, -1);
        double along = dot(to_centre, direction);
        double inside = sphere->radius * sphere->radius - dot(to_centre, to_centre) + along * along;
        if (inside <= 0)
            continue;
        double root = sqrt(inside);
        double at = along - root > NEAREST ? along - root : along + root;
        if (at > NEAREST && at < distance) {
            distance = at;
            *hit = i;
        }
    }
    return distance;
}

struct pixel radiance(const struct scene *scene, struct vec origin, struct vec direction)
{
    struct pixel light = {0, 0, 0, 1};
    double weight = 1;
    for (int bounce = 0; bounce <= BOUNCES; bounce++) {
        int hit, shadow;
        double distance = nearest(scene, origin, direction, &hit);
        double ground = direction.y < 0 ? (FLOOR - origin.y) / direction.y : FARTHEST;
        struct sphere surface = {.mirror = 0.1};
        struct vec normal = {0, 1, 0};
        if (hit < 0 && ground >= FARTHEST) { /* the sky */
            float sky = (float)(weight * (1 - 0.5 * direction.y));
            light.red += 0.6f * sky;
            light.green += 0.7f * sky;
            light.blue += sky;
            break;
        }
        if (hit >= 0 && distance < ground) {
            surface = scene->sphere[hit];
            origin = add(origin, direction, distance);
            normal = add(origin, surface.centre, -1);
            normal = add((struct vec){0, 0, 0}, normal, 1 / surface.radius);
        } else {
            origin = add(origin, direction, ground);
            int dark = ((long)floor(origin.x) + (long)floor(origin.z)) & 1;
            surface.red = surface.green = surface.blue = dark ? 0.2f : 0.9f;
        }
        double shine = dot(normal, scene->light);
        if (shine > 0) {
            nearest(scene, origin, scene->light, &shadow);
            shine = shadow < 0 ? shine : 0;
        } else {
            shine = 0;
        }
        float diffuse = (float)(weight * (1 - surface.mirror) * (0.2 + 0.8 * shine));
        light.red += diffuse * surface.red;
        light.green += diffuse * surface.green;
        light.blue += diffuse * surface.blue;
        weight *= surface.mirror;
        direction = add(direction, normal, -2 * dot(direction, normal));
    }
    return light;
}

void trace_row(struct film *film, const struct scene *scene, int phase, int row)
{
    int y = row * STEP + phase / STEP % STEP;
    if (y >= film->height)
        return;
    for (int x = phase % STEP; x < film->width; x += STEP) {
        struct vec direction = {(x - 0.5 * film->width) / film->height, (0.5 * film->height - y) / film->height, 1};
        direction = add((struct vec){0, 0, 0}, direction, 1 / sqrt(dot(direction, direction)));
        struct pixel *pixel = &film->pixel[(long)y * film->width + x];
        *pixel = radiance(scene, (struct vec){0, 0, -1}, direction);
    }
}
