// PROGRAM
//
// One CPU busy while others idle, and a loop two calls above the hot one whose iterations are independent: the
// candidate for threads is found by climbing. Usage: serial [ROWS, default 3000].

#include <stdio.h>
#include <stdlib.h>

enum { N = 512 };
static double rows[64][N];

__attribute__((noinline)) static double residual(const double *row, double start) {
    double s = start;
    for (int i = 1; i < N; i++) s += row[i] * row[i - 1]; // LOOP name=residual class=fp-reduction
    return s;
}

__attribute__((noinline)) static double settle(const double *row, int rounds) {
    double best = 1;
    for (int k = 0; k < rounds; k++) best = 0.5 * residual(row, best) / N; // LOOP name=settle class=recurrence
    return best;
}

// Every iteration is independent of the others.
__attribute__((noinline)) static void solve(double *results, int count) {
    for (int r = 0; r < count; r++) results[r] = settle(rows[r & 63], 800); // LOOP name=solve class=call
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 3000;
    if (count < 1 || count > 1000000) return fprintf(stderr, "usage: %s [ROWS]\n", argv[0]), 2;
    double *results = calloc((size_t)count, sizeof *results);
    if (!results) return perror("calloc"), 1;
    for (int r = 0; r < 64; r++)
        for (int i = 0; i < N; i++) rows[r][i] = ((r + i) * 37 % 101) / 101.0;
    solve(results, count);
    printf("result %.6f\n", results[count - 1]);
    free(results);
    return 0;
}
