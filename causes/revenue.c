/* Column store: answers "revenue after discount" over an orders table of
   some thirty million rows, once per currency rate. */
#include <stdio.h>
#include <stdlib.h>

#define ROWS (32u << 20)
#define RATES 130

static float *column(unsigned step, float scale)
{
    float *c = aligned_alloc(64, sizeof(float) * ROWS);
    if (!c)
        exit(1);
    for (unsigned i = 0; i < ROWS; i++)
        c[i] = (float)(i * step >> 24) * scale;
    return c;
}

__attribute__((noinline))
static float revenue(const float *price, const float *pieces,
                     const float *discount, unsigned from, unsigned to)
{
    float sum = 0.0f;
    for (unsigned i = from; i < to; i++)
        sum += price[i] * pieces[i] * (1.0f - discount[i]);
    return sum;
}

int main(void)
{
    float *price = column(2654435761u, 0.37f);
    float *pieces = column(40503u, 0.05f);
    float *discount = column(69069u, 0.001f);
    double total = 0.0;
    for (int r = 0; r < RATES; r++) {
        discount[r % 4096] = 0.01f * (float)(r & 15);
        for (unsigned at = 0; at < ROWS; at += ROWS / 16)
            total += (1.0 + 0.01 * r) *
                     revenue(price, pieces, discount, at, at + ROWS / 16);
    }
    printf("revenue %.6e\n", total);
    free(price);
    free(pieces);
    free(discount);
    return 0;
}
