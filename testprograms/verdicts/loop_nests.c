// PROGRAM links=-lm compilers=gcc,clang
//
// Nests: each of their loops has a verdict of its own. Some need more registers than there are.

#include "verdicts.h"

KERNEL void product(double *restrict c, const double *restrict a, const double *restrict b, long n) {
    for (long i = 0; i < n; i++)         // LOOP name=product_i class=nest-outer parallel=yes
        for (long j = 0; j < n; j++) {   // LOOP name=product_j class=nest-outer parallel=yes
            double s = 0;
            for (long k = 0; k < n; k++) // LOOP name=product_k class=fp-reduction parallel=clauses
                s += a[i * n + k] * b[k * n + j];
            c[i * n + j] = s;
        }
}
KERNEL void product_ikj(double *restrict c, const double *restrict a, const double *restrict b, long n) {
    for (long i = 0; i < n; i++)         // LOOP name=product_ikj_i class=nest-outer parallel=yes
        for (long k = 0; k < n; k++)     // LOOP name=product_ikj_k class=nest-outer parallel=not-independent
            for (long j = 0; j < n; j++) // LOOP name=product_ikj_j class=fp-map parallel=yes
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
KERNEL void transposed(double *restrict b, const double *restrict a, long rows, long columns) {
    for (long i = 0; i < rows; i++)        // LOOP name=transposed_i class=nest-outer parallel=yes
        for (long j = 0; j < columns; j++) // LOOP name=transposed_j class=strided parallel=yes
            b[j * rows + i] = a[i * columns + j];
}
KERNEL void triangular(double *restrict y, const double *restrict a, const double *restrict x, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=triangular_i class=nest-outer parallel=yes
        double s = 0;
        for (long j = 0; j <= i; j++) // LOOP name=triangular_j class=fp-reduction parallel=clauses
            s += a[i * n + j] * x[j];
        y[i] = s;
    }
}
KERNEL void solved(double *restrict x, const double *restrict a, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=solved_i class=nest-outer parallel=no
        double s = x[i];
        for (long j = 0; j < i; j++) // LOOP name=solved_j class=fp-reduction parallel=clauses
            s -= a[i * n + j] * x[j];
        x[i] = s / (a[i * n + i] + 40);
    }
}
KERNEL void relaxed(double *u, long rows, long columns) {
    for (long i = 1; i < rows - 1; i++)        // LOOP name=relaxed_i class=nest-outer parallel=no
        for (long j = 1; j < columns - 1; j++) // LOOP name=relaxed_j class=recurrence parallel=no
            u[i * columns + j] = (u[i * columns + j - 1] + u[i * columns + j + 1] + u[(i - 1) * columns + j] + u[(i + 1) * columns + j]) / 4;
}
KERNEL void jacobi(double *restrict v, const double *restrict u, long rows, long columns) {
    for (long i = 1; i < rows - 1; i++)        // LOOP name=jacobi_i class=nest-outer parallel=yes
        for (long j = 1; j < columns - 1; j++) // LOOP name=jacobi_j class=fp-map parallel=yes
            v[i * columns + j] = (u[i * columns + j - 1] + u[i * columns + j + 1] + u[(i - 1) * columns + j] + u[(i + 1) * columns + j]) / 4;
}
// The inner loop runs down the columns.
KERNEL void columns_inside(double *restrict v, const double *restrict u, const double *restrict k, long rows, long columns, double dt) {
    for (long j = 1; j < columns - 1; j++)  // LOOP name=columns_inside_j class=nest-outer parallel=yes
        for (long i = 1; i < rows - 1; i++) // LOOP name=columns_inside_i class=strided parallel=yes
            v[i * columns + j] = u[i * columns + j] + dt * k[i * columns + j] *
                (u[i * columns + j - 1] + u[i * columns + j + 1] + u[(i - 1) * columns + j] + u[(i + 1) * columns + j] - 4 * u[i * columns + j]);
}
KERNEL void row_recurrence(double *a, long rows, long columns) {
    for (long i = 0; i < rows; i++)        // LOOP name=row_recurrence_i class=nest-outer parallel=yes
        for (long j = 1; j < columns; j++) // LOOP name=row_recurrence_j class=recurrence parallel=no
            a[i * columns + j] += a[i * columns + j - 1] * 0.5;
}
KERNEL void column_recurrence(double *a, long rows, long columns) {
    for (long i = 1; i < rows; i++)        // LOOP name=column_recurrence_i class=nest-outer parallel=no
        for (long j = 0; j < columns; j++) // LOOP name=column_recurrence_j class=fp-map parallel=yes
            a[i * columns + j] += a[(i - 1) * columns + j] * 0.5;
}
KERNEL void many_arrays(double *o, const double *a, const double *b, const double *c, const double *d, const double *e, const double *f,
                        const double *g, const double *h, const double *k, const double *l, const double *m, long n, long p, long q) {
    for (long j = 1; j < n - 1; j++)     // LOOP name=many_arrays_j class=nest-outer parallel=yes
        for (long i = 1; i < p - 1; i++) // LOOP name=many_arrays_i class=fp-map parallel=yes
            o[j * q + i] += a[(j - 1) * q + i] * b[j * q + i - 1] + c[(j + 1) * p + i] * d[j * p + i] + e[j * q + i + 1] * f[(j + 1) * q + i] +
                g[j * p + i] * h[(j - 1) * p + i] + k[j * q + i] * l[j * p + i] * m[(j + 1) * q + i + 1];
}
KERNEL double many_sums(const double *a, const double *b, const double *c, const double *d, long rows, long columns) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0, s8 = 0, s9 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0, t5 = 0, t6 = 0, t7 = 0;
    for (long i = 0; i < rows; i++) {        // LOOP name=many_sums_i class=nest-outer parallel=clauses
        for (long j = 0; j < columns; j++) { // LOOP name=many_sums_j class=fp-reduction parallel=clauses
            double w = a[i * columns + j], x = b[i * columns + j], y = c[i * columns + j], z = d[i * columns + j];
            s0 += w, s1 += x, s2 += y, s3 += z, s4 += w * x, s5 += w * y, s6 += w * z, s7 += x * y, s8 += x * z;
            s9 += y * z, t0 += w * w, t1 += x * x, t2 += y * y, t3 += z * z, t4 += w * x * y, t5 += w * x * z, t6 += w * y * z, t7 += x * y * z;
        }
    }
    return s0 + s1 * 2 + s2 * 3 + s3 * 4 + s4 + s5 * 2 + s6 * 3 + s7 * 4 + s8 + s9 * 2 + t0 * 3 + t1 * 4 + t2 + t3 * 2 + t4 * 3 + t5 * 4 + t6 + t7 * 5;
}
KERNEL void sparse(double *restrict y, const double *restrict a, const int *restrict column, const int *restrict start, const double *restrict x, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=sparse_rows class=nest-outer parallel=yes
        double s = 0;
        for (int k = start[i]; k < start[i + 1]; k++) // LOOP name=sparse class=fp-reduction parallel=clauses
            s += a[k] * x[column[k]];
        y[i] = s;
    }
}
KERNEL void sparse_transposed(double *restrict y, const double *restrict a, const int *restrict column, const int *restrict start, const double *restrict x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=sparse_transposed_rows class=nest-outer parallel=no
        for (int k = start[i]; k < start[i + 1]; k++) // LOOP name=sparse_transposed class=scatter parallel=yes
            y[column[k]] += a[k] * x[i];
}
KERNEL void time_steps(double *u, double *v, long n, long steps) {
    for (long t = 0; t < steps; t++) { // LOOP name=time_steps class=nest-outer parallel=no
        for (long i = 1; i < n - 1; i++) // LOOP name=time_steps_i class=fp-map parallel=yes
            v[i] = (u[i - 1] + u[i + 1]) / 2;
        double *w = u;
        u = v;
        v = w;
    }
}
KERNEL void distances(double *restrict out, const double *restrict x, const double *restrict y, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=distances_i class=nest-outer parallel=yes
        double nearest = 1e30;
        for (long j = 0; j < n; j++) { // LOOP name=distances_j class=fp-minmax parallel=clauses
            double d = (x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]);
            if (j != i && d < nearest)
                nearest = d;
        }
        out[i] = nearest;
    }
}
KERNEL void edit_distance(int *table, const char *a, const char *b, long n, long m) {
    for (long i = 1; i <= n; i++)       // LOOP name=edit_distance_i class=nest-outer parallel=no
        for (long j = 1; j <= m; j++) { // LOOP name=edit_distance_j class=recurrence parallel=no
            int best = table[(i - 1) * (m + 1) + j - 1] + (a[i - 1] != b[j - 1]);
            int up = table[(i - 1) * (m + 1) + j] + 1, left = table[i * (m + 1) + j - 1] + 1;
            best = up < best ? up : best;
            table[i * (m + 1) + j] = left < best ? left : best;
        }
}
KERNEL void bubble(int *a, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=bubble_i class=nest-outer parallel=no
        for (long j = 0; j + 1 < n - i; j++) // LOOP name=bubble_j class=recurrence parallel=no
            if (a[j] > a[j + 1]) {
                int t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
            }
}

int main(void) {
    long rows = rows_volatile, columns = columns_volatile;
    static double a[41 * 41], b[41 * 41], c[41 * 41], u[41 * 41], v[41 * 41], y[41];
    static int column[41 * 8], start[42], table[24 * 38], order[40];
    static char p[64], q[64];
    fill(a, 41 * 41, 1), fill(b, 41 * 41, 2), fill(u, 41 * 41, 3);
    for (int i = 0; i <= 41; i++)
        start[i] = i * 5;
    for (int i = 0; i < 41 * 8; i++)
        column[i] = (i * 7) % 37;
    for (int i = 0; i < 64; i++)
        p[i] = (char)(i * 5 % 7), q[i] = (char)(i * 3 % 7);
    for (int i = 0; i < 40; i++)
        order[i] = 40 - i;
    for (int i = 0; i < 24 * 38; i++)
        table[i] = i % 38 + i / 38;
    double s = 0;
    for (int round = 0; round < 2; round++) {
        product(c, a, b, rows), product_ikj(c, a, b, rows), transposed(b, a, rows, columns), triangular(y, a, b, columns);
        solved(y, a, columns), relaxed(u, rows, columns), jacobi(v, u, rows, columns), columns_inside(v, u, a, rows, columns, 0.1);
        row_recurrence(u, rows, columns), column_recurrence(u, rows, columns);
        many_arrays(v, a, b, a, b, a, b, a, b, a, b, a, rows, columns, columns);
        s += many_sums(a, b, u, v, rows, columns), sparse(y, a, column, start, b, columns);
        sparse_transposed(y, a, column, start, b, columns), time_steps(u, v, columns, 6), distances(c, a, b, columns);
        edit_distance(table, p, q, 23, 37), bubble(order, 40);
    }
    printf("%.6f %.6f %.6f %d %d\n", s, sum(u, 41 * 41) + sum(v, 41 * 41), sum(c, 41 * 41) + sum(y, 41), table[500], order[7]);
}
