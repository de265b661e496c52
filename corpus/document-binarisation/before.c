/* Binarise scanned pages: a pixel is ink when it is darker than a threshold
   derived from the mean and the spread of its neighbourhood (Sauvola). */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int width, height;
    uint8_t *pixels;
} Image;

static uint32_t rng_state = 20240611u;

static uint32_t next_random(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 17;
    rng_state ^= rng_state << 5;
    return rng_state;
}

static Image image_new(int width, int height)
{
    Image im = { width, height, malloc((size_t)width * height) };
    if (!im.pixels) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return im;
}

/* Paper with uneven light, grain, and rows of glyph-like strokes. */
static void draw_page(Image *im, int number)
{
    for (int y = 0; y < im->height; y++)
        for (int x = 0; x < im->width; x++) {
            int light = 150 + (x * 70) / im->width + ((y + 40 * number) % im->height) * 20 / im->height;
            im->pixels[y * im->width + x] = (uint8_t)(light + (int)(next_random() >> 28) - 8);
        }
    for (int line = 30; line + 20 < im->height; line += 28)
        for (int x = 40; x + 14 < im->width - 40; x += 14) {
            uint32_t glyph = next_random();
            if ((glyph & 7) == 0)
                continue;
            for (int dy = 0; dy < 15; dy++)
                for (int dx = 0; dx < 10; dx++)
                    if ((glyph >> (3 + (dy / 3) * 5 + dx / 2)) & 1) {
                        uint8_t *p = &im->pixels[(line + dy) * im->width + x + dx];
                        *p = (uint8_t)(*p / 3);
                    }
        }
}

typedef struct {
    double mean, deviation;
} Stats;

static Stats local_stats(const Image *im, int cx, int cy, int radius)
{
    int x0 = cx - radius < 0 ? 0 : cx - radius;
    int y0 = cy - radius < 0 ? 0 : cy - radius;
    int x1 = cx + radius >= im->width ? im->width - 1 : cx + radius;
    int y1 = cy + radius >= im->height ? im->height - 1 : cy + radius;
    int64_t sum = 0, squares = 0;
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            int v = im->pixels[y * im->width + x];
            sum += v;
            squares += v * v;
        }
    double n = (double)(x1 - x0 + 1) * (y1 - y0 + 1);
    Stats s;
    s.mean = sum / n;
    double variance = squares / n - s.mean * s.mean;
    s.deviation = variance > 0.0 ? sqrt(variance) : 0.0;
    return s;
}

static void binarise(const Image *im, Image *out, int radius, double k)
{
    for (int y = 0; y < im->height; y++)
        for (int x = 0; x < im->width; x++) {
            Stats s = local_stats(im, x, y, radius);
            double threshold = s.mean * (1.0 + k * (s.deviation / 128.0 - 1.0));
            out->pixels[y * im->width + x] = im->pixels[y * im->width + x] < threshold;
        }
}

int main(void)
{
    const int pages = 5;
    Image page = image_new(1100, 1400), ink = image_new(1100, 1400);
    for (int n = 0; n < pages; n++) {
        draw_page(&page, n);
        binarise(&page, &ink, 7, 0.3);
        long count = 0;
        uint32_t check = 2166136261u;
        for (int i = 0; i < ink.width * ink.height; i++) {
            count += ink.pixels[i];
            check = (check ^ ink.pixels[i]) * 16777619u;
        }
        printf("page %d: %ld ink pixels, check %08x\n", n + 1, count, check);
    }
    free(page.pixels);
    free(ink.pixels);
    return 0;
}
