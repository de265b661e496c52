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

static void add_row(const Image *im, int y, int sign, int32_t *sum, int32_t *squares)
{
    const uint8_t *row = &im->pixels[(size_t)y * im->width];
    for (int x = 0; x < im->width; x++) {
        int v = row[x];
        sum[x] += sign * v;
        squares[x] += sign * v * v;
    }
}

/* Column sums of the window slide down the page, the window sums slide along the row:
   each pixel enters and leaves once instead of being read for every window that holds it. */
static void binarise(const Image *im, Image *out, int radius, double k)
{
    int width = im->width, height = im->height;
    int32_t *column_sum = calloc((size_t)width, sizeof *column_sum);
    int32_t *column_squares = calloc((size_t)width, sizeof *column_squares);
    if (!column_sum || !column_squares) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    for (int y = 0; y < radius && y < height; y++)
        add_row(im, y, 1, column_sum, column_squares);
    for (int y = 0; y < height; y++) {
        if (y + radius < height)
            add_row(im, y + radius, 1, column_sum, column_squares);
        if (y - radius - 1 >= 0)
            add_row(im, y - radius - 1, -1, column_sum, column_squares);
        int y0 = y - radius < 0 ? 0 : y - radius;
        int y1 = y + radius >= height ? height - 1 : y + radius;
        int64_t sum = 0, squares = 0;
        for (int x = 0; x < radius && x < width; x++) {
            sum += column_sum[x];
            squares += column_squares[x];
        }
        for (int x = 0; x < width; x++) {
            int x0 = x - radius < 0 ? 0 : x - radius;
            int x1 = x + radius >= width ? width - 1 : x + radius;
            if (x + radius < width) {
                sum += column_sum[x + radius];
                squares += column_squares[x + radius];
            }
            if (x - radius - 1 >= 0) {
                sum -= column_sum[x - radius - 1];
                squares -= column_squares[x - radius - 1];
            }
            double n = (double)(x1 - x0 + 1) * (y1 - y0 + 1);
            double mean = sum / n;
            double variance = squares / n - mean * mean;
            double deviation = variance > 0.0 ? sqrt(variance) : 0.0;
            double threshold = mean * (1.0 + k * (deviation / 128.0 - 1.0));
            out->pixels[y * width + x] = im->pixels[y * width + x] < threshold;
        }
    }
    free(column_sum);
    free(column_squares);
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
