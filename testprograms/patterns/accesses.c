// PROGRAM flags=-fno-builtin-memcpy compilers=gcc,clang
//
// Loops whose accesses and dependences have closed forms. The marks say what must be found, for every compiler and
// level; README.md describes the format. All arrays begin on a line of the cache, and every trip count is a multiple
// of 64, so that vectors divide it.

#include <stdio.h>
#include <string.h>

#ifdef __clang__
#define KERNEL __attribute__((noinline)) void
#else
#define KERNEL __attribute__((noipa)) void
#endif

enum { N = 1024, M = 64 };

struct particle { double x, y, z, mass; };
struct node { struct node *next; double value; };

static _Alignas(64) double a[4 * N], b[4 * N], c[4 * N];
static _Alignas(64) double grid[M][M];
static _Alignas(64) struct particle particles[N];
static _Alignas(64) struct node nodes[N];
static _Alignas(64) int index_of[N], kind_of[N], bins[64];
static _Alignas(64) double scratch[8], total;

// Array of structures by hand: fields 1 and 2 of 3.
KERNEL aos(double *restrict out, const double *restrict lbv, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=aos class=strided iterations=1024 vector=safe parallel=independent
        out[i] = lbv[i*3+1] + lbv[i*3+2];    // ACCESS ~S8:8 ~L8:24 ~L8:24
}
// One field of a structure is computed from another.
KERNEL field(struct particle *p, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=field class=strided iterations=1024 vector=safe parallel=independent
        p[i].x = p[i].y * 2.0;               // ACCESS ~S8:32 ~L8:32
}
// Structure of arrays.
KERNEL soa(double *restrict x, const double *restrict y, const double *restrict z, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=soa class=fp-map iterations=1024 vector=safe parallel=independent
        x[i] = y[i] + z[i] * 0.5;            // ACCESS S8:8 L8:8 L8:8
}
// Down the columns of a C array: the inner stride is a row.
KERNEL columns(double *restrict out, double (*restrict m)[M], long rows) {
    for (long j = 0; j < M; j++) {           // LOOP name=columns_j class=nest-outer iterations=64
        double sum = 0;
        for (long i = 0; i < rows; i++)      // LOOP name=columns class=fp-reduction entries=64 iterations=4096 vector=safe-with-reductions,safe parallel=with-clauses,independent
            sum += m[i][j];                  // ACCESS ~L8:512/8
        out[j] = sum;
    }
}
// Through an index that permutes.
KERNEL gather(double *restrict out, const double *restrict x, const int *restrict at, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=gather class=gather iterations=1024 vector=safe parallel=independent
        out[i] = x[at[i]];                   // ACCESS S8:8 ~L4:4 L8:?
}
KERNEL scatter(double *restrict out, const double *restrict x, const int *restrict at, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=scatter class=scatter iterations=1024 vector=safe parallel=independent
        out[at[i]] = x[i];                   // ACCESS S8:? ~L4:4 L8:8
}
KERNEL reversed(double *restrict out, const double *restrict x, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=reversed class=fp-map iterations=1024 vector=safe parallel=independent
        out[i] = x[n-1-i] * 0.5;             // ACCESS S8:8 L8:-8
}
// A triangle: 64 * 65 / 2 products.
KERNEL triangle(double *restrict y, double (*restrict m)[M], const double *restrict x, long n) {
    for (long i = 0; i < n; i++) {
        double sum = 0;
        for (long j = 0; j <= i; j++)        // LOOP name=triangle class=fp-reduction entries=64 iterations=2080 vector=safe-with-reductions,safe parallel=with-clauses,independent
            sum += m[i][j] * x[j];           // ACCESS ~L8:8/512 ~L8:8/0
        y[i] = sum;
    }
}
KERNEL stencil(double *restrict v, const double *restrict u, long n) {
    for (long i = 1; i <= n; i++)            // LOOP name=stencil class=fp-map iterations=1024 vector=safe parallel=independent
        v[i] = u[i-1] + u[i] * 0.5 + u[i+1]; // ACCESS S8:8 ~L8:8
}
// Bins 0..8 in turn: each is met again after 9 iterations.
KERNEL histogram(int *restrict h, const int *restrict k, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=histogram class=histogram iterations=1024 found=RAW:9,WAW:9 vector=unsafe parallel=dependent
        h[k[i]]++;                           // ACCESS ~L4:4 ~L4:? S4:?
}

// Recurrences of all distances: the sink reads what was written that number of iterations before.
KERNEL recurrence1(double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=recurrence1 class=recurrence iterations=1024 found=RAW:1 vector=unsafe parallel=dependent
        x[i + 1] = x[i] * 0.5 + 1.0; // ACCESS S8:8 ?L8:8
}
KERNEL recurrence2(double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=recurrence2 class=recurrence iterations=1024 found=RAW:2 vector=safe-up-to length=2 parallel=dependent
        x[i + 2] = x[i] * 0.5 + 1.0; // ACCESS S8:8 ?L8:8
}
KERNEL recurrence3(double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=recurrence3 class=recurrence iterations=1024 found=RAW:3 vector=safe-up-to length=3 parallel=dependent
        x[i + 3] = x[i] * 0.5 + 1.0; // ACCESS S8:8 ?L8:8
}
KERNEL recurrence4(double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=recurrence4 class=recurrence iterations=1024 found=RAW:4 vector=safe-up-to length=4 parallel=dependent
        x[i + 4] = x[i] * 0.5 + 1.0; // ACCESS S8:8 ?L8:8
}
KERNEL recurrence5(double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=recurrence5 class=recurrence iterations=1024 found=RAW:5 vector=safe-up-to length=5 parallel=dependent
        x[i + 5] = x[i] * 0.5 + 1.0; // ACCESS S8:8 ?L8:8
}
KERNEL recurrence6(double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=recurrence6 class=recurrence iterations=1024 found=RAW:6 vector=safe-up-to length=6 parallel=dependent
        x[i + 6] = x[i] * 0.5 + 1.0; // ACCESS S8:8 ?L8:8
}
KERNEL recurrence7(double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=recurrence7 class=recurrence iterations=1024 found=RAW:7 vector=safe-up-to length=7 parallel=dependent
        x[i + 7] = x[i] * 0.5 + 1.0; // ACCESS S8:8 ?L8:8
}
KERNEL recurrence8(double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=recurrence8 class=recurrence iterations=1024 found=RAW:8 vector=safe-up-to length=8 parallel=dependent
        x[i + 8] = x[i] * 0.5 + 1.0; // ACCESS S8:8 ?L8:8
}
KERNEL recurrence9(double *x, long n) {
    for (long i = 0; i < n; i++) // LOOP name=recurrence9 class=recurrence iterations=1024 found=RAW:9 vector=safe-up-to length=9 parallel=dependent
        x[i + 9] = x[i] * 0.5 + 1.0; // ACCESS S8:8 ?L8:8
}

// Each iteration reads what a later one writes: vectors keep that order.
KERNEL anti(double *x, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=anti class=fp-map iterations=1024 found=WAR:1 vector=safe parallel=dependent
        x[i] = x[i+1] * 0.5;                 // ACCESS S8:8 L8:8
}
KERNEL anti3(double *x, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=anti3 class=fp-map iterations=1024 found=WAR:3 vector=safe parallel=dependent
        x[i] = x[i+3] * 0.5;                 // ACCESS S8:8 L8:8
}
// A sum in memory: the compiler cannot know that the pointers differ.
KERNEL reduction(double *sum, const double *x, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=reduction class=fp-reduction iterations=1024 may=RAW:1,WAW:1,WAR:1 vector=safe-with-reductions,unsafe parallel=with-clauses,dependent
        *sum += x[i];                        // ACCESS L8:8 ~L8:0 ~S8:0
}
static int integers;
KERNEL counting(const int *x, long n) {
    int sum = 0;
    for (long i = 0; i < n; i++)             // LOOP name=counting class=int-reduction iterations=1024 vector=safe-with-reductions parallel=with-clauses
        sum += x[i];                         // ACCESS L4:4
    integers = sum;
}
// A list whose order is not that of memory.
KERNEL chase(const struct node *head, double *out) {
    double sum = 0;
    for (const struct node *p = head; p; p = p->next) // LOOP name=chase class=list-walk iterations=1024 vector=unsafe parallel=dependent
        sum += p->value;                     // ACCESS L8:?
    *out = sum;
}
// A call that copies; the source was written by the iteration before.
KERNEL copies(char *to, const char *from, long n, long bytes) {
    for (long i = 0; i < n; i++)             // LOOP name=copies class=call iterations=16 vector=safe parallel=independent
        memcpy(to + i * bytes, from + i * bytes, bytes);
}
KERNEL copies_on(char *x, long n, long bytes) {
    for (long i = 0; i < n; i++)             // LOOP name=copies_on class=call iterations=16 found=RAW:1 vector=unsafe parallel=dependent
        memcpy(x + (i + 1) * bytes, x + i * bytes, bytes);
}
// Calls of functions that write: into the array, and into one place.
KERNEL put(double *at, double value) { *at = value; }
KERNEL add(double value) { total += value; }
KERNEL calls(double *x, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=calls class=call iterations=1024 vector=safe,unknown parallel=independent,unknown
        put(x + i, 1.0);
}
KERNEL accumulates(const double *x, long n) {
    for (long i = 0; i < n; i++)             // LOOP name=accumulates class=call iterations=1024 found=RAW:1 may=WAW:1,WAR:1 vector=unsafe,safe-with-reductions parallel=dependent,with-clauses
        add(x[i]);                           // ACCESS L8:8
}
// Every iteration fills the scratch array before it reads it.
KERNEL temporaries(double *restrict out, const double *restrict x, double *t, long n) {
    for (long i = 0; i < n; i++) {           // LOOP name=temporaries class=call iterations=1024 may=WAW:1,WAR:1 vector=safe,unsafe parallel=with-clauses,dependent
        put(t, x[i]);                        // ACCESS L8:8
        put(t + 1, 2.0);
        out[i] = t[0] * t[1];                // ACCESS S8:8 L8:0 L8:0
    }
}
int main(void) {
    for (int i = 0; i < N; i++) {
        // 37 and 1024 have no divisor in common: a permutation.
        index_of[i] = i * 37 % N;
        kind_of[i] = i % 9;
        particles[i].y = i;
        nodes[i].value = i;
        nodes[i * 37 % N].next = i + 1 < N ? &nodes[(i + 1) * 37 % N] : 0;
    }
    for (int i = 0; i < 4 * N; i++) b[i] = i * 0.25;
    aos(a, b, N);
    field(particles, N);
    soa(a, b, c, N);
    columns(a, grid, M);
    gather(a, b, index_of, N);
    scatter(a, b, index_of, N);
    reversed(a, b, N);
    triangle(a, grid, b, M);
    stencil(a, b, N);
    histogram(bins, kind_of, N);
    recurrence1(a, N), recurrence2(a, N), recurrence3(a, N), recurrence4(a, N), recurrence5(a, N);
    recurrence6(a, N), recurrence7(a, N), recurrence8(a, N), recurrence9(a, N);
    anti(a, N);
    anti3(a, N);
    reduction(&total, b, N);
    counting(kind_of, N);
    chase(&nodes[0], c);
    copies((char *)a, (char *)b, 16, 128);
    copies_on((char *)a, 16, 128);
    calls(a, N);
    accumulates(b, N);
    temporaries(a, b, scratch, N);
    double sum = total + c[0] + particles[3].x;
    for (int i = 0; i < N; i++) sum += a[i] + bins[i % 64];
    printf("%.3f %d\n", sum, integers);
    return 0;
}
