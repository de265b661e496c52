/* Rows of blocks on THREADS threads. Each takes the next row when it has finished one: rows through many spheres take
 * longer than rows of sky. A thread clears the rows that it traces. */
#include "render.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2 };

struct job {
    struct film *film;
    const struct scene *scene;
    int phase;
    atomic_int next;
};

static void clear_rows(struct film *film, int from, int to)
{
    for (int y = from; y < to && y < film->height; y++)
        for (int x = 0; x < film->width; x++) {
            struct pixel *pixel = &film->pixel[(long)y * film->width + x];
            float sky = 1 - 0.5f * (float)y / (float)film->height;
            pixel->red = 0.6f * sky;
            pixel->green = 0.7f * sky;
            pixel->blue = sky;
            pixel->rays = 0;
        }
}

static void *work(void *argument)
{
    struct job *job = argument;
    int row;
    while ((row = atomic_fetch_add(&job->next, 1)) * STEP < job->film->height) {
        clear_rows(job->film, row * STEP, (row + 1) * STEP);
        trace_row(job->film, job->scene, job->phase, row);
    }
    return NULL;
}

/* Cleared row by row while it is traced. */
void clear(struct film *film)
{
    (void)film;
}

void trace(struct film *film, const struct scene *scene, int phase)
{
    struct job job = {.film = film, .scene = scene, .phase = phase};
    pthread_t helper[THREADS - 1];
    for (int t = 0; t < THREADS - 1; t++)
        if (pthread_create(&helper[t], NULL, work, &job)) {
            fputs("no thread could be started\n", stderr);
            exit(1);
        }
    work(&job);
    for (int t = 0; t < THREADS - 1; t++)
        pthread_join(helper[t], NULL);
}
