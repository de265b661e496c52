// PROGRAM links=-lm compilers=gcc,clang
//
// One value from many: an operation that may be done in any order makes the loop parallel with a clause.

#include "verdicts.h"

KERNEL double plain_sum(const double *x, long n) {
    double s = 0;
    for (long i = 0; i < n; i++) // LOOP name=plain_sum class=fp-reduction parallel=clauses
        s += x[i];
    return s;
}
KERNEL double product(const double *x, long n) {
    double s = 1;
    for (long i = 0; i < n; i++) // LOOP name=product class=fp-reduction parallel=clauses
        s *= x[i];
    return s;
}
KERNEL double dot(const double *x, const double *y, long n) {
    double s = 0;
    for (long i = 0; i < n; i++) // LOOP name=dot class=fp-reduction parallel=clauses
        s += x[i] * y[i];
    return s;
}
KERNEL long int_sum(const int *x, long n) {
    long s = 0;
    for (long i = 0; i < n; i++) // LOOP name=int_sum class=int-reduction parallel=clauses
        s += x[i];
    return s;
}
KERNEL int int_minimum(const int *x, long n) {
    int m = x[0];
    for (long i = 1; i < n; i++) // LOOP name=int_minimum class=int-reduction parallel=clauses
        m = x[i] < m ? x[i] : m;
    return m;
}
KERNEL double fp_maximum(const double *x, long n) {
    double m = x[0];
    for (long i = 1; i < n; i++) // LOOP name=fp_maximum class=fp-minmax parallel=clauses
        if (x[i] > m)
            m = x[i];
    return m;
}
KERNEL unsigned bits_and(const unsigned *x, long n) {
    unsigned m = ~0u;
    for (long i = 0; i < n; i++) // LOOP name=bits_and class=int-reduction parallel=clauses
        m &= x[i];
    return m;
}
KERNEL unsigned bits_xor(const unsigned *x, long n) {
    unsigned m = 0;
    for (long i = 0; i < n; i++) // LOOP name=bits_xor class=int-reduction parallel=clauses
        m ^= x[i];
    return m;
}
KERNEL long counted(const int *x, long n) {
    long count = 0;
    for (long i = 0; i < n; i++) // LOOP name=counted class=int-reduction parallel=clauses
        if (x[i] > 30)
            count++;
    return count;
}
KERNEL double conditional_sum(const double *x, const int *k, long n) {
    double s = 0;
    for (long i = 0; i < n; i++) // LOOP name=conditional_sum class=fp-reduction parallel=clauses
        if (k[i] > 30)
            s += x[i];
    return s;
}
KERNEL double squares_of_differences(const double *x, const double *y, long n) {
    double s = 0;
    for (long i = 0; i < n; i++) { // LOOP name=squares_of_differences class=fp-reduction parallel=clauses
        double d = x[i] - y[i];
        s += d * d;
    }
    return s;
}
KERNEL void two_sums(const double *x, double *out, long n) {
    double s = 0, t = 0;
    for (long i = 0; i < n; i++) { // LOOP name=two_sums class=fp-reduction parallel=clauses
        s += x[i];
        t += x[i] * x[i];
    }
    out[0] = s, out[1] = t;
}
KERNEL void sum_in_memory(double *total, const double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=sum_in_memory class=fp-reduction parallel=clauses
        *total += x[i];
}
static double grand_total;
KERNEL void sum_in_global(const double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=sum_in_global class=fp-reduction parallel=clauses
        grand_total += x[i];
}
KERNEL double sum_and_store(double *restrict y, const double *restrict x, long n) {
    double s = 0;
    for (long i = 0; i < n; i++) { // LOOP name=sum_and_store class=fp-reduction parallel=clauses
        y[i] = x[i] * 3;
        s += y[i];
    }
    return s;
}
KERNEL double subtracted(const double *x, long n) {
    double s = 1000;
    for (long i = 0; i < n; i++) // LOOP name=subtracted class=fp-reduction parallel=clauses
        s -= x[i];
    return s;
}
KERNEL double largest_difference(const double *x, const double *y, long n) {
    double m = 0;
    for (long i = 0; i < n; i++) { // LOOP name=largest_difference class=fp-minmax parallel=clauses
        double d = fabs(x[i] - y[i]);
        if (d > m)
            m = d;
    }
    return m;
}
// The place of the maximum: a reduction that no clause of OpenMP names. Only "independent" would be wrong.
KERNEL long largest_at(const double *x, long n) {
    long at = 0;
    for (long i = 1; i < n; i++) // LOOP name=largest_at class=argmax parallel=not-independent
        if (x[i] > x[at])
            at = i;
    return at;
}
KERNEL long smallest_at(const int *x, long n, int *smallest) {
    long at = 0;
    int m = x[0];
    for (long i = 1; i < n; i++) // LOOP name=smallest_at class=argmax parallel=not-independent
        if (x[i] < m) {
            m = x[i];
            at = i;
        }
    *smallest = m;
    return at;
}
// The last one that was met: a later iteration overwrites, in order.
KERNEL long last_at(const int *x, long n) {
    long at = -1;
    for (long i = 0; i < n; i++) // LOOP name=last_at class=argmax parallel=not-independent
        if (x[i] == 5)
            at = i;
    return at;
}
KERNEL void histogram(int *bins, const int *k, long n) {
    for (long i = 0; i < n; i++) // LOOP name=histogram class=histogram parallel=no
        bins[k[i]]++;
}
KERNEL double matrix_sum(const double *a, long rows, long columns) {
    double s = 0;
    for (long i = 0; i < rows; i++)        // LOOP name=matrix_sum_rows class=nest-outer parallel=clauses
        for (long j = 0; j < columns; j++) // LOOP name=matrix_sum class=fp-reduction parallel=clauses
            s += a[i * columns + j];
    return s;
}
KERNEL int any_match(const int *x, long n, int key) {
    int found = 0;
    for (long i = 0; i < n; i++) // LOOP name=any_match class=int-reduction parallel=clauses
        found |= x[i] == key;
    return found;
}

int main(void) {
    long n = n_volatile, rows = rows_volatile, columns = columns_volatile;
    static double a[ROWS * COLUMNS], b[N], out[2];
    static int k[N], bins[128];
    static unsigned u[N];
    fill(a, ROWS * COLUMNS, 1), fill(b, N, 0.5), fill_int(k, N, 97);
    for (int i = 0; i < N; i++)
        u[i] = (unsigned)i * 2654435761u;
    double s = 0;
    for (int round = 0; round < 2; round++) {
        int m;
        s += plain_sum(a, n) + dot(a, b, n) + (double)int_sum(k, n) + int_minimum(k, n) + fp_maximum(a, n);
        s += product(b, 20) + (bits_and(u, n) + bits_xor(u, n)) % 1000 + (double)counted(k, n);
        s += conditional_sum(a, k, n) + squares_of_differences(a, b, n) + subtracted(a, n);
        two_sums(a, out, n), sum_in_memory(&out[1], a, n), sum_in_global(a, n);
        s += sum_and_store(b, a, n) + largest_difference(a, b, n) + (double)largest_at(a, n);
        s += (double)(smallest_at(k, n, &m) + last_at(k, n)), histogram(bins, k, n);
        s += matrix_sum(a, rows, columns) + any_match(k, n, 3);
    }
    printf("%.6f %.6f %.6f %d\n", s, out[1], grand_total, bins[5]);
}
