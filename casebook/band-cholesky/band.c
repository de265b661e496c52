/* The band factors L D L' of textbooks, right-looking: each row takes multiples of itself from the rows that it reaches. */
#include "band.h"

#include <stddef.h>

/* Replaces `a` by L' without its unit diagonal, and 1/D in the diagonal's place; 1 where a pivot is not positive. */
int factorise(double *a, int n, int band)
{
    int width = band + 1;
    for (int i = 0; i < n; i++) {
        double *row = a + (size_t)i * (size_t)width;
        if (!(row[0] > 0))
            return 1;
        double inverse = 1.0 / row[0];
        row[0] = inverse;
        int reach = n - 1 - i < band ? n - 1 - i : band;
        /* The rows below: each loop is a trip shorter than the one before. */
        for (int j = 1; j <= reach; j++) {
            double *below = a + (size_t)(i + j) * (size_t)width;
            double factor = row[j] * inverse;
            for (int k = j; k <= reach; k++)
                below[k - j] -= factor * row[k];
        }
        for (int k = 1; k <= reach; k++)
            row[k] *= inverse;
    }
    return 0;
}

/* Solves L D L' x = b in place. */
void solve(const double *a, double *x, int n, int band)
{
    int width = band + 1;
    for (int i = 0; i < n; i++) {
        const double *row = a + (size_t)i * (size_t)width;
        double value = x[i];
        x[i] = value * row[0];
        int reach = n - 1 - i < band ? n - 1 - i : band;
        for (int k = 1; k <= reach; k++)
            x[i + k] -= value * row[k];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = a + (size_t)i * (size_t)width;
        double value = x[i];
        int reach = n - 1 - i < band ? n - 1 - i : band;
        for (int k = 1; k <= reach; k++)
            value -= row[k] * x[i + k];
        x[i] = value;
    }
}
