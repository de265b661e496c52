// PROGRAM compilers=gcc,clang
//
// A two-dimensional Laplacian over 16 x 8 points, as in texts on blocking: a cache of 12 lines of four elements
// (32 bytes) misses 15 lines in each of the 8 outer iterations, 120 in all; with the inner loop in blocks of 4, two
// lines in each of ten rows for each of four blocks, 80; with both loops in blocks of 4 fewer. The result stays in a
// register, so that only `u` is accessed. Rows of 20 elements begin on a line.

#include <stdio.h>

#ifdef __clang__
#define KERNEL __attribute__((noinline)) double
#else
#define KERNEL __attribute__((noipa)) double
#endif

enum { ROW = 20 };
static _Alignas(64) double field[10][ROW];

#define POINT(u, j, i) u[j][i-1] + u[j][i+1] - 4.0 * u[j][i] + u[j-1][i] + u[j+1][i]

KERNEL unblocked(double (*u)[ROW]) {
    double a = 0;
    for (long j = 1; j <= 8; j++)          // LOOP name=unblocked class=nest-outer iterations=8 unrolled=yes misses=120
        for (long i = 1; i <= 16; i++)
            a += POINT(u, j, i);
    return a;
}
KERNEL inner_blocked(double (*u)[ROW]) {
    double a = 0;
    for (long block = 1; block <= 16; block += 4) // LOOP name=inner_blocked class=nest-outer unrolled=yes misses=80
        for (long j = 1; j <= 8; j++)
            for (long i = block; i < block + 4; i++)
                a += POINT(u, j, i);
    return a;
}
KERNEL both_blocked(double (*u)[ROW]) {
    double a = 0;
    for (long rows = 1; rows <= 8; rows += 4) // LOOP name=both_blocked class=nest-outer unrolled=yes misses=60..79
        for (long block = 1; block <= 16; block += 4)
            for (long j = rows; j < rows + 4; j++)
                for (long i = block; i < block + 4; i++)
                    a += POINT(u, j, i);
    return a;
}

int main(void) {
    for (int j = 0; j < 10; j++)
        for (int i = 0; i < ROW; i++) field[j][i] = i * i + j;
    printf("%.1f %.1f %.1f\n", unblocked(field), inner_blocked(field), both_blocked(field));
    return 0;
}
