// PROGRAM links=-lm compilers=gcc,clang
//
// Loops that end where their data says so: whether an iteration runs at all depends on the ones before it. Beside
// them loops with several exits whose number of iterations is known on entry.

#include "verdicts.h"

struct node { struct node *next; double value; };
struct tree { struct tree *left, *right; int key; };

KERNEL long find(const int *a, long n, int key) {
    for (long i = 0; i < n; i++) // LOOP name=find class=search parallel=no
        if (a[i] == key)
            return i;
    return -1;
}
KERNEL long find_break(const double *a, long n, double limit) {
    long i;
    for (i = 0; i < n; i++) // LOOP name=find_break class=search parallel=no
        if (a[i] > limit)
            break;
    return i;
}
KERNEL long insert(int *c, long n, int key) {
    long k;
    for (k = 0; k < n; k++) { // LOOP name=insert class=search parallel=no
        if (c[k] > key) {
            c[k] = key;
            break;
        } else if (c[k] == -1) {
            c[k] = key;
            break;
        }
    }
    return k;
}
KERNEL void multiply_until(float *a, const float *b, const float *c, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=multiply_until class=search parallel=no
        a[i] += b[i] * c[i];
        if (c[i] > b[i])
            break;
    }
}
KERNEL long length(const char *s) {
    long n = 0;
    while (s[n] != 'z') // LOOP name=length class=string-scan parallel=no
        n++;
    return n;
}
KERNEL void copied(char *to, const char *from) {
    while ((*to++ = *from++) != 'z') // LOOP name=copied class=string-scan parallel=no
        ;
}
KERNEL double list_sum(const struct node *p) {
    double s = 0;
    while (p) { // LOOP name=list_sum class=list-walk parallel=no
        s += p->value;
        p = p->next;
    }
    return s;
}
KERNEL void list_scaled(struct node *p, double f) {
    for (; p; p = p->next) // LOOP name=list_scaled class=list-walk parallel=no
        p->value *= f;
}
KERNEL void list_reversed(struct node **head) {
    struct node *before = 0, *p = *head;
    while (p) { // LOOP name=list_reversed class=list-walk parallel=no
        struct node *next = p->next;
        p->next = before;
        before = p;
        p = next;
    }
    *head = before;
}
KERNEL int tree_has(const struct tree *t, int key) {
    while (t && t->key != key) // LOOP name=tree_has class=list-walk parallel=no
        t = key < t->key ? t->left : t->right;
    return t != 0;
}
KERNEL double newton(double x) {
    double y = x;
    while (fabs(y * y - x) > 1e-12 * x) // LOOP name=newton class=recurrence parallel=no
        y = 0.5 * (y + x / y);
    return y;
}
KERNEL long digits(unsigned long x) {
    long n = 0;
    while (x) { // LOOP name=digits class=recurrence parallel=no
        n += (long)(x % 10);
        x /= 10;
    }
    return n;
}
KERNEL unsigned long divisor(unsigned long a, unsigned long b) {
    while (b) { // LOOP name=divisor class=recurrence parallel=no
        unsigned long t = a % b;
        a = b;
        b = t;
    }
    return a;
}
KERNEL long bisect(const double *a, long n, double key) {
    long low = 0, high = n;
    while (low < high) { // LOOP name=bisect class=search parallel=no
        long middle = (low + high) / 2;
        if (a[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
KERNEL int same(const int *a, const int *b, long n) {
    for (long i = 0; i < n; i++) // LOOP name=same class=search parallel=no
        if (a[i] != b[i])
            return 0;
    return 1;
}
KERNEL double until_sum(const double *a, long n, double limit) {
    double s = 0;
    for (long i = 0; i < n && s < limit; i++) // LOOP name=until_sum class=search parallel=no
        s += a[i];
    return s;
}
KERNEL double row_until(const double *a, long n, double limit) {
    long i = 0;
    double s = 0;
    do { // LOOP name=row_until class=search parallel=no
        s += a[i] * 2;
    } while (a[i++] < limit && i < n);
    return s;
}
KERNEL long fill_until_flag(double *a, const double *b, volatile int *stop, long n) {
    long i;
    for (i = 0; i < n && !*stop; i++) // LOOP name=fill_until_flag class=volatile parallel=no
        a[i] = b[i] * 4;
    return i;
}
KERNEL int check_all(const double *a, double *out, long rows, long columns) {
    for (long i = 0; i < rows; i++) { // LOOP name=check_all_rows class=search parallel=no
        double s = 0;
        for (long j = 0; j < columns; j++) // LOOP name=check_all class=fp-reduction parallel=clauses
            s += a[i * columns + j];
        out[i] = s;
        if (s > 1e9)
            return 0;
    }
    return 1;
}
KERNEL long rows_scanned(const int *a, int *first, long rows, long columns) {
    long all = 0;
    for (long i = 0; i < rows; i++) { // LOOP name=rows_scanned class=nest-outer parallel=clauses
        long j;
        for (j = 0; j < columns; j++) // LOOP name=rows_scanned_inner class=search parallel=no
            if (a[i * columns + j] > 90)
                break;
        first[i] = (int)j;
        all += j;
    }
    return all;
}
KERNEL void collatz(int *steps, long n) {
    for (long i = 1; i < n; i++) { // LOOP name=collatz_all class=nest-outer parallel=yes
        unsigned long x = (unsigned long)i;
        int count = 0;
        while (x != 1) { // LOOP name=collatz class=recurrence parallel=no
            x = x & 1 ? 3 * x + 1 : x / 2;
            count++;
        }
        steps[i] = count;
    }
}
// Escape times: the pixels are independent, the iteration of one is not.
KERNEL void mandelbrot(int *out, long width, long most) {
    for (long i = 0; i < width; i++) { // LOOP name=mandelbrot_pixels class=nest-outer parallel=yes
        double c = -2 + 2.5 * (double)i / (double)width, d = 0.3, x = 0, y = 0;
        int k = 0;
        while (k < most && x * x + y * y < 4) { // LOOP name=mandelbrot class=recurrence parallel=no
            double t = x * x - y * y + c;
            y = 2 * x * y + d;
            x = t;
            k++;
        }
        out[i] = k;
    }
}
// Both bounds are numbers: the second exit is not an early one.
KERNEL void two_limits(double *a, long n, long most) {
    for (long i = 0; i < n; i++) { // LOOP name=two_limits class=fp-map parallel=yes
        if (i == most)
            break;
        a[i] = a[i] * 2 + 1;
    }
}
// Checks that end the program: no iteration after them matters.
KERNEL void checked_by_abort(double *a, const double *b, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=checked_by_abort class=fp-map parallel=yes
        a[i] = b[i] * 0.5 / (b[i] * b[i] + 3);
        if (a[i] < -1e9)
            abort();
    }
}
KERNEL void checked_by_exit(double *a, const double *b, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=checked_by_exit class=fp-map parallel=yes
        if (b[i] < -1e9)
            exit(3);
        a[i] = b[i] * 0.5 / (b[i] * b[i] + 3);
    }
}

int main(void) {
    long n = n_volatile, rows = rows_volatile, columns = columns_volatile;
    static double a[ROWS * COLUMNS], b[ROWS * COLUMNS];
    static float f[N], g[N], h[N];
    static int k[ROWS * COLUMNS], l[N], m[N];
    static char text[N + 1], other[N + 1];
    static struct node nodes[N];
    static struct tree trees[N];
    static volatile int stop;
    fill(a, ROWS * COLUMNS, 1), fill(b, N, 2), fill_int(k, ROWS * COLUMNS, 97);
    memset(text, 'a', N), text[N - 1] = 'z';
    for (int i = 0; i < N; i++) {
        nodes[i] = (struct node){ i + 1 < N ? &nodes[i + 1] : 0, i }, l[i] = i, f[i] = 1, g[i] = 2, h[i] = i < N - 2 ? 1 : 3;
        trees[i] = (struct tree){ i > 0 && i % 2 ? &trees[i - 1] : 0, i + 2 < N ? &trees[i + 2] : 0, i };
    }
    double s = 0;
    for (int round = 0; round < 2; round++) {
        struct node *head = nodes;
        for (int i = 0; i < N; i++)
            m[i] = i < N - 3 ? i : -1;
        s += (double)find(l, n, N - 4) + (double)find_break(a, n, 1e9) + (double)insert(m, n, 1000);
        multiply_until(f, g, h, n), copied(other, text), list_scaled(nodes, 1.01);
        s += (double)length(text) + list_sum(nodes) + tree_has(trees, N - 1) + newton(1e30);
        s += (double)digits(1234567890123456789ul) + (double)divisor(12200160415121876738ul, 7540113804746346429ul);
        s += (double)bisect(a, n, 1.7) + same(l, l, n) + until_sum(a, n, 1e9) + row_until(a, n, 1e9);
        s += (double)fill_until_flag(b, a, &stop, n) + check_all(a, b, rows, columns);
        s += (double)rows_scanned(k, l, rows, columns), collatz(m, 40), mandelbrot(m, 60, 50);
        for (int i = 0; i < N; i++)
            l[i] = i;
        two_limits(a, n, n - 9), checked_by_abort(a, b, n), checked_by_exit(a, b, n);
        list_reversed(&head), list_reversed(&head);
    }
    printf("%.6f %f %c\n", s + sum(b, N), f[5], other[4]);
}
