// PROGRAM links=-lm compilers=gcc,clang
//
// Dependences through memory: at constant distances, at those of the data, and accesses that only seem to overlap.

#include "verdicts.h"

KERNEL void next_to(double *x, long n) {
    for (long i = 1; i < n; i++) // LOOP name=next_to class=recurrence parallel=no
        x[i] = x[i - 1] * 0.5 + x[i];
}
KERNEL void distance_two(double *x, long n) {
    for (long i = 2; i < n; i++) // LOOP name=distance_two class=recurrence parallel=no length=2
        x[i] = x[i - 2] * 0.5 + 1;
}
KERNEL void distance_five(double *x, long n) {
    for (long i = 0; i + 5 < n; i++) // LOOP name=distance_five class=recurrence parallel=no length=5
        x[i + 5] = x[i] * 0.5 + 1;
}
KERNEL void distance_of_argument(double *x, long n, long d) {
    for (long i = d; i < n; i++) // LOOP name=distance_of_argument class=recurrence parallel=no length=none
        x[i] = x[i - d] * 0.5 + 1;
}
KERNEL void shifted_down(double *x, long n) {
    for (long i = 0; i + 1 < n; i++) // LOOP name=shifted_down class=copy parallel=no
        x[i] = x[i + 1] * 2;
}
KERNEL void overlapping(double *to, const double *from, long n) {
    for (long i = 0; i < n; i++) // LOOP name=overlapping class=copy parallel=no length=none
        to[i] = from[i] * 0.5 + 1;
}
// Far enough apart that no iteration meets another one.
KERNEL void halves(double *x, long half) {
    for (long i = 0; i < half; i++) // LOOP name=halves class=fp-map parallel=yes
        x[i + half] = x[i] * 3;
}
KERNEL void odd_and_even(double *x, long n) {
    for (long i = 0; i + 1 < n; i += 2) // LOOP name=odd_and_even class=strided parallel=yes
        x[i + 1] = x[i] + 1;
}
KERNEL void crossing(double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=crossing class=recurrence parallel=no length=none
        x[i] = x[n - 1 - i] + 1;
}
KERNEL void permuted(double *restrict a, const double *restrict b, const int *restrict at, long n) {
    for (long i = 0; i < n; i++) // LOOP name=permuted class=scatter parallel=yes
        a[at[i]] = b[i] * 2;
}
KERNEL void permuted_update(double *a, const double *b, const int *at, long n) {
    for (long i = 0; i < n; i++) // LOOP name=permuted_update class=scatter parallel=yes
        a[at[i]] += b[i];
}
KERNEL void scattered_twice(double *restrict a, const double *restrict b, const int *restrict at, long n) {
    for (long i = 0; i < n; i++) // LOOP name=scattered_twice class=scatter parallel=no length=none
        a[at[i]] = b[i] * 2;
}
KERNEL void accumulated(double *restrict a, const double *restrict b, const int *restrict at, long n) {
    for (long i = 0; i < n; i++) // LOOP name=accumulated class=histogram parallel=no length=none
        a[at[i]] += b[i];
}
KERNEL void bins_in_turn(int *bins, const int *k, long n) {
    for (long i = 0; i < n; i++) // LOOP name=bins_in_turn class=histogram parallel=no length=none
        bins[k[i]]++;
}
static unsigned heads[1 << 10], chain[1 << 10];
KERNEL void hash_insert(const unsigned char *b, unsigned from, unsigned to) {
    for (unsigned i = from; i < to; i++) { // LOOP name=hash_insert class=scatter parallel=no length=none
        unsigned v;
        memcpy(&v, b + i, 4);
        unsigned h = v * 2654435761u >> 22;
        chain[i & 1023] = heads[h];
        heads[h] = i;
    }
}
KERNEL void chased(int *a, const int *next, long n) {
    int at = 0;
    for (long i = 0; i < n; i++) { // LOOP name=chased class=list-walk parallel=no
        a[at]++;
        at = next[at];
    }
}
struct particle { double x, v, f; };
KERNEL void moved(struct particle *p, double dt, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=moved class=strided parallel=yes
        p[i].v += p[i].f * dt;
        p[i].x += p[i].v * dt;
        p[i].f = 0;
    }
}
KERNEL void pair_forces(struct particle *p, long n) {
    for (long i = 0; i + 1 < n; i++) { // LOOP name=pair_forces class=recurrence parallel=no
        double d = p[i + 1].x - p[i].x;
        p[i].f += d;
        p[i + 1].f -= d;
    }
}
// Rotated loop: the value that the next iteration compares is loaded at the end.
KERNEL void rotated(double e, double *hi, int *lo, int *out, const double *g, long n, long m) {
    for (long i = 0; i < n; i++) { // LOOP name=rotated class=conditional-store parallel=yes
        if (e < hi[i])
            out[i] = lo[i];
        else if (lo[i] == m - 2)
            out[i] = lo[i];
        else {
            lo[i]++;
            out[i] = lo[i];
            hi[i] = g[i * m + lo[i] + 1];
        }
    }
}
KERNEL void cleared(double *p, long rows, long columns) {
    for (long j = 0; j < rows; j++)        // LOOP name=cleared class=nest-outer parallel=yes
        for (long i = 0; i < columns; i++) // LOOP name=cleared_row class=fill parallel=yes
            p[i + j * columns] = 0;
}
KERNEL void row_of_scratch(double *restrict out, const double *restrict a, double *restrict t, long rows, long columns) {
    for (long i = 0; i < rows; i++) { // LOOP name=row_of_scratch class=nest-outer parallel=clauses
        memset(t, 0, (size_t)columns * sizeof *t);
        for (long j = 0; j < columns; j++) // LOOP name=row_of_scratch_filled class=fp-map parallel=yes
            t[j] += a[i * columns + j] * 2;
        double s = 0;
        for (long j = 0; j < columns; j++) // LOOP name=row_of_scratch_summed class=fp-reduction parallel=clauses
            s += t[j] * t[columns - 1 - j];
        out[i] = s;
    }
}
// The scratch row keeps the values of earlier rows.
KERNEL void row_that_accumulates(double *restrict out, const double *restrict a, double *restrict t, long rows, long columns) {
    for (long i = 0; i < rows; i++) { // LOOP name=row_that_accumulates class=nest-outer parallel=no
        for (long j = 0; j < columns; j++) // LOOP name=row_that_accumulates_inner class=fp-map parallel=yes
            t[j] = t[j] * 0.5 + a[i * columns + j];
        out[i] = t[0] + t[columns - 1];
    }
}
KERNEL void stack_row(double *restrict out, const double *restrict a, long rows, long columns) {
    double t[COLUMNS];
    for (long i = 0; i < rows; i++) { // LOOP name=stack_row class=nest-outer parallel=yes
        for (long j = 0; j < columns; j++) // LOOP name=stack_row_filled class=fp-map parallel=yes
            t[j] = a[i * columns + j] * a[i * columns];
        double s = 0;
        for (long j = 0; j < columns; j++) // LOOP name=stack_row_summed class=fp-reduction parallel=clauses
            s += t[j] * t[columns - 1 - j];
        out[i] = s;
    }
}
KERNEL void counter_behind_pointer(int *count, const double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=counter_behind_pointer class=int-reduction parallel=clauses
        if (x[i] > 1)
            ++*count;
}
KERNEL void ring(double *restrict out, const double *restrict x, double *restrict buffer, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=ring class=recurrence parallel=no
        out[i] = x[i] + buffer[i & 7];
        buffer[i & 7] = x[i];
    }
}
KERNEL void stacked(int *stack, const int *x, long n) {
    int top = 0;
    for (long i = 0; i < n; i++) { // LOOP name=stacked class=recurrence parallel=no
        while (top > 0 && stack[top - 1] > x[i]) // LOOP name=stacked_popped class=search parallel=no
            top--;
        stack[top++] = x[i];
    }
}

int main(void) {
    long n = n_volatile, rows = rows_volatile, columns = columns_volatile;
    static double x[2 * N], a[ROWS * COLUMNS], out[ROWS * COLUMNS], t[COLUMNS], hi[68], g[68 * 20];
    static int permutation[N], twice[N], next[N], counts[N], lo[68], choice[68], turn[N], count, stack[N];
    static unsigned char text[2048];
    static struct particle p[N];
    fill(x, 2 * N, 1), fill(a, ROWS * COLUMNS, 1);
    for (int i = 0; i < N; i++) {
        permutation[i] = (i * 37 + 5) % N, twice[i] = (i * 17) % (N / 2), next[i] = (i + 40) % N, turn[i] = i % 9;
        p[i] = (struct particle){ i, 0, 1 };
    }
    for (int i = 0; i < 2048; i++)
        text[i] = "abcdefg"[i % 7 * (i % 97 != 0)];
    for (int i = 0; i < 68 * 20; i++)
        g[i] = i % 20;
    for (int round = 0; round < 2; round++) {
        next_to(x, n), distance_two(x, n), distance_five(x, n), distance_of_argument(x, n, 3 + round), shifted_down(x, n);
        overlapping(x + 4 + round, x, n), halves(x, n), odd_and_even(x, n), crossing(x, n);
        permuted(out, x, permutation, n), permuted_update(out, x, permutation, n), scattered_twice(out, x, twice, n);
        accumulated(out, x, twice, n), bins_in_turn(counts, turn, n), hash_insert(text, 0, 1500), chased(counts, next, n);
        moved(p, 0.1, n), pair_forces(p, n), row_of_scratch(out, a, t, rows, columns);
        row_that_accumulates(out, a, t, rows, columns), stack_row(out, a, rows, columns);
        counter_behind_pointer(&count, x, n), ring(out, x, t, n), stacked(stack, permutation, n);
        for (int i = 0; i < 68; i++)
            lo[i] = 0, hi[i] = g[i * 20 + 1];
        for (int q = 0; q < 6; q++)
            rotated(q, hi, lo, choice, g, 68, 20);
        cleared(a, rows, columns / 2), fill(a, ROWS * COLUMNS, 1);
    }
    printf("%.6f %.6f %d %d %d %u %f\n", sum(x, N), sum(out, N), counts[5], choice[3], count, chain[77], p[9].x);
}
