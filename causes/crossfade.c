/* Slide show: fades from one grey picture into the next in small steps and
   prints the mean brightness of the frames on the way. */
#include <stdio.h>

#define WIDTH 1024
#define HEIGHT 960
#define STEPS 14000

static float from[HEIGHT][WIDTH], to[HEIGHT][WIDTH], screen[HEIGHT][WIDTH];

static inline void fade_row(float *restrict out, const float *restrict a,
                            const float *restrict b, float t)
{
    for (int x = 0; x < WIDTH; x++)
        out[x] = a[x] + t * (b[x] - a[x]);
}

int main(void)
{
    double bright = 0.0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            from[y][x] = (float)((x * 7 + y * 3) & 255);
            to[y][x] = (float)((x * 5 ^ y * 11) & 255);
        }
    for (int s = 0; s < STEPS; s++) {
        float t = (float)(s & 255) / 255.0f;
        for (int y = 0; y < HEIGHT; y++)
            fade_row(screen[y], from[y], to[y], t);
        bright += screen[s % HEIGHT][s % WIDTH];
    }
    printf("mean brightness %.6f\n", bright / STEPS);
    return 0;
}
