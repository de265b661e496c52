/* Edge-preserving denoising of a grey image with a bilateral filter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 640
#define HEIGHT 480
#define RADIUS 6

typedef struct {
    int width, height;
    unsigned char *pixels;
} image;

static image image_new(int width, int height)
{
    image im = {width, height, malloc((size_t)width * (size_t)height)};
    if (!im.pixels)
        exit(1);
    return im;
}

static unsigned lcg(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void draw_scene(image *im)
{
    unsigned state = 12345;
    for (int y = 0; y < im->height; y++) {
        for (int x = 0; x < im->width; x++) {
            int v = 60 + 100 * x / im->width;
            int cx = x - im->width / 3, cy = y - im->height / 2;
            if (cx * cx + cy * cy < 110 * 110)
                v = 200 - y / 8;
            if (x > 400 && x < 560 && y > 80 && y < 260)
                v = 30 + (x + y) / 12;
            v += (int)(lcg(&state) % 41) - 20;
            im->pixels[y * im->width + x] = (unsigned char)(v < 0 ? 0 : v > 255 ? 255 : v);
        }
    }
}

static void bilateral(const image *src, image *dst, int radius, double sigma_space, double sigma_range)
{
    for (int y = 0; y < src->height; y++) {
        for (int x = 0; x < src->width; x++) {
            int y0 = y - radius < 0 ? 0 : y - radius;
            int y1 = y + radius >= src->height ? src->height - 1 : y + radius;
            int x0 = x - radius < 0 ? 0 : x - radius;
            int x1 = x + radius >= src->width ? src->width - 1 : x + radius;
            int centre = src->pixels[y * src->width + x];
            double sum = 0.0, weights = 0.0;
            for (int v = y0; v <= y1; v++) {
                for (int u = x0; u <= x1; u++) {
                    int value = src->pixels[v * src->width + u];
                    double d2 = (double)((u - x) * (u - x) + (v - y) * (v - y));
                    double diff = (double)(value - centre);
                    double w = exp(-d2 / (2.0 * sigma_space * sigma_space))
                             * exp(-diff * diff / (2.0 * sigma_range * sigma_range));
                    sum += w * value;
                    weights += w;
                }
            }
            dst->pixels[y * src->width + x] = (unsigned char)(sum / weights + 0.5);
        }
    }
}

static double roughness(const image *im)
{
    long total = 0;
    for (int y = 0; y < im->height; y++)
        for (int x = 1; x < im->width; x++)
            total += abs(im->pixels[y * im->width + x] - im->pixels[y * im->width + x - 1]);
    return (double)total / ((double)im->height * (im->width - 1));
}

static unsigned long checksum(const image *im)
{
    unsigned long h = 5381;
    for (int i = 0; i < im->width * im->height; i++)
        h = h * 33 + im->pixels[i];
    return h;
}

int main(void)
{
    image noisy = image_new(WIDTH, HEIGHT);
    image first = image_new(WIDTH, HEIGHT);
    image second = image_new(WIDTH, HEIGHT);
    draw_scene(&noisy);
    bilateral(&noisy, &first, RADIUS, 2.5, 30.0);
    bilateral(&first, &second, RADIUS, 2.0, 18.0);
    printf("roughness %.6f -> %.6f -> %.6f\n", roughness(&noisy), roughness(&first), roughness(&second));
    printf("checksum %016lx %016lx\n", checksum(&first), checksum(&second));
    printf("samples %d %d %d\n", second.pixels[100 * WIDTH + 100], second.pixels[240 * WIDTH + 213],
           second.pixels[170 * WIDTH + 480]);
    free(noisy.pixels);
    free(first.pixels);
    free(second.pixels);
    return 0;
}
