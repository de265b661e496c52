// PROGRAM links=-lm compilers=gcc,clang
//
// Loops that call functions: their stack frames end with the call, memory that the loop itself allocates there does not.
#include <alloca.h>
#include "verdicts.h"

struct tagged {
    char tag;
    double value;
};
struct pair {
    float x, y, z;
    int found;
};
struct chain {
    const struct chain *next;
    double value;
};

KERNEL double weight(const struct tagged *t) { return t->tag ? t->value : -t->value; }
// Writes where the frame of `padded` has its structures.
KERNEL double deep(double x, long k) {
    double room[8];
    for (int i = 0; i < 8; i++)
        room[i] = x + (double)i;
    return room[k & 7];
}
// Copies a structure with its padding, which nothing has written.
KERNEL double padded(double x, long k) {
    struct tagged first, second;
    first.tag = (char)(k & 1);
    first.value = x;
    memcpy(&second, &first, sizeof first);
    return weight(&second);
}
KERNEL struct pair nearest(float x, long k) {
    struct pair p = {x, x * 2, x * 3, (int)(k % 3)};
    return p;
}
KERNEL struct pair through(float x, long k) {
    struct pair p = nearest(x, k);
    p.y += p.z;
    return p;
}
KERNEL void link(struct chain *c, const struct chain *next, double x) {
    c->next = next;
    c->value = x + (next ? next->value : 0);
}

KERNEL void calls_with_padding(double *a, const double *b, long n) {
    for (long i = 0; i < n; i++) // LOOP name=calls_with_padding class=calls parallel=yes
        a[i] = deep(b[i], i) + padded(b[i], i);
}
KERNEL void returned_structures(double *a, const double *b, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=returned_structures class=calls parallel=yes
        struct pair p = through((float)b[i], i);
        a[i] = p.found ? p.x + p.y : p.z;
    }
}
KERNEL double chained(const double *b, long n) {
    struct chain *last = NULL;
    for (long i = 0; i < n; i++) { // LOOP name=chained class=calls parallel=no
        struct chain *c = alloca(sizeof *c);
        link(c, last, b[i]);
        last = c;
    }
    return last ? last->value : 0;
}
KERNEL double summed_in_frame(const double *b, long n) {
    struct chain first = {NULL, 0}, second;
    for (long i = 0; i < n; i++) { // LOOP name=summed_in_frame class=calls parallel=no
        link(&second, &first, b[i]);
        first.value = second.value;
    }
    return first.value;
}

int main(void) {
    long n = n_volatile;
    static double a[N], b[N];
    fill(b, N, 1);
    double s = 0;
    for (int round = 0; round < 2; round++) {
        calls_with_padding(a, b, n);
        s += sum(a, N);
        returned_structures(a, b, n);
        s += sum(a, N) + chained(b, n) + summed_in_frame(b, n);
    }
    printf("%.6f\n", s);
}
