// PROGRAM
//
// One kernel at a time, for measuring what counting costs: cases that are easy and cases that are hard to count
// cheaply. Usage: overhead [expect] [KERNEL] [TIMES]. With TIMES 1000 each runs for some tenths of a second when
// optimised.

#include "expect.h"

KERNEL void matmul_ijk(double *c, const double *a, const double *b, long n) {
    KEEP;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0;
            for (long k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j]; // LOOP name=ijk class=fp-reduction
            c[i * n + j] = sum;
        }
}
KERNEL void triad_of(double *a, const double *b, const double *c, double s, long n) {
    KEEP;
    for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i]; // LOOP name=triad_of class=fp-map
}
KERNEL long find(const int *a, long n, int wanted) {
    KEEP;
    for (long i = 0; i < n; i++) // LOOP name=find class=search
        if (a[i] == wanted) return i;
    return n;
}
KERNEL long tiny(long x) {
    KEEP;
    return x * 3 + 1;
}
KERNEL long call_tiny(long n) {
    KEEP;
    long sum = 0;
    for (long i = 0; i < n; i++) sum += tiny(i); // LOOP name=call_tiny class=call
    return sum;
}
KERNEL long decide(const unsigned char *code, long n) {
    KEEP;
    long x = 1;
    for (long i = 0; i < n; i++) { // LOOP name=decide class=switch
        switch (code[i]) {
        case 0: x += 3; break;
        case 1: x ^= x << 1; break;
        case 2: x -= i; KEEP; break;
        case 3: x = x * 5 + 1; break;
        case 4: x >>= 1; KEEP; break;
        case 5: x |= 8; break;
        case 6: x = ~x; KEEP; break;
        default: x += code[i];
        }
    }
    return x;
}
KERNEL long recurse(long n) {
    KEEP;
    if (n < 2) return n;
    long a = recurse(n - 1), b = recurse(n - 2);
    OPAQUE(b);
    return a + b;
}
KERNEL long hail(unsigned long x) {
    KEEP;
    long steps = 0;
    while (x != 1) { // LOOP name=hail class=search
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    return steps;
}
struct link {
    struct link *next;
    long value;
};
KERNEL long follow(const struct link *at) {
    KEEP;
    long sum = 0;
    while (at) { // LOOP name=follow class=list-walk
        sum += at->value;
        at = at->next;
    }
    return sum;
}

// TIMES of each kernel are scaled so that they take about as long.
static const struct {
    const char *name;
    double rate;
} kernels[] = {{"matmul", 0.03},  {"triad-l1", 600},   {"triad-memory", 0.03}, {"triad-64", 8000}, {"triad-16", 15000},
               {"search", 200},   {"leaf-call", 100},  {"switch", 60},         {"recursion", 0.3}, {"collatz", 600},
               {"list-walk", 150}};

enum { SMALL = 1000, LARGE = 4000000, SIDE = 160 };

static long times_of(const char *name, long times) {
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (strcmp(kernels[k].name, name) == 0) {
            long scaled = (long)((double)times * kernels[k].rate);
            return scaled > 0 ? scaled : 1;
        }
    fprintf(stderr, "no kernel %s\n", name);
    exit(2);
}

static void expect(const char *name, long r) {
    long n = strcmp(name, "triad-memory") == 0 ? LARGE : strcmp(name, "triad-l1") == 0 ? SMALL : strcmp(name, "triad-64") == 0 ? 64 : 16;
    if (strcmp(name, "matmul") == 0) {
        printf("function matmul_ijk calls=%ld f64=%ld\n", r, 2L * SIDE * SIDE * SIDE * r);
        printf("loop ijk entries=%ld iterations=%ld\n", (long)SIDE * SIDE * r, (long)SIDE * SIDE * SIDE * r);
    } else if (strncmp(name, "triad", 5) == 0) {
        printf("function triad_of calls=%ld f64=%ld\n", r, 2 * n * r);
        printf("loop triad_of entries=%ld iterations=%ld min=%ld max=%ld\n", r, n * r, n, n);
    } else if (strcmp(name, "search") == 0) {
        // Every search ends in the pass after SMALL - 1 others.
        printf("function find calls=%ld f64=0\nloop find entries=%ld breaks=%ld iterations=%ld\n", r, r, r, r * SMALL);
    } else if (strcmp(name, "leaf-call") == 0) {
        printf("function tiny calls=%ld\nloop call_tiny entries=%ld iterations=%ld\n", r * SMALL, r, r * SMALL);
    } else if (strcmp(name, "switch") == 0) {
        printf("function decide calls=%ld\nloop decide entries=%ld iterations=%ld\n", r, r, r * SMALL);
    } else if (strcmp(name, "recursion") == 0) {
        // 2 F(26) - 1 calls for recurse(25); F(26) = 121393.
        printf("function recurse calls=%ld\n", r * (2 * 121393L - 1));
    } else if (strcmp(name, "collatz") == 0) {
        long steps = 0;
        for (long i = 1; i <= r; i++)
            for (long x = i; x != 1; steps++) x = x % 2 ? 3 * x + 1 : x / 2;
        printf("function hail calls=%ld\nloop hail entries=%ld zero=1 iterations=%ld\n", r, r, steps);
    } else {
        printf("function follow calls=%ld\nloop follow entries=%ld iterations=%ld\n", r, r, r * SMALL);
    }
}

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    const char *name = argc > 1 ? argv[1] : "leaf-call";
    long r = times_of(name, argument(argc, argv, 2, 1));
    if (ask) return expect(name, r), 0;
    long large = strcmp(name, "triad-memory") == 0 ? LARGE : SIDE * SIDE;
    double *a = malloc(sizeof *a * (size_t)large), *b = malloc(sizeof *b * (size_t)large), *c = malloc(sizeof *c * (size_t)large);
    if (!a || !b || !c) return 1;
    for (long i = 0; i < large; i++) a[i] = 0, b[i] = (double)(i % 7), c[i] = (double)(i % 5);
    static int numbers[SMALL];
    static unsigned char code[SMALL];
    static struct link links[SMALL];
    for (int i = 0; i < SMALL; i++) {
        numbers[i] = i;
        code[i] = (unsigned char)((i * 7 + i / 9) % 9);
        links[i] = (struct link){i + 1 < SMALL ? &links[i + 1] : 0, i};
    }
    long sum = 0;
    for (long k = 0; k < r; k++) {
        if (strcmp(name, "matmul") == 0) matmul_ijk(a, b, c, SIDE);
        else if (strcmp(name, "triad-l1") == 0) triad_of(a, b, c, 0.5, SMALL);
        else if (strcmp(name, "triad-memory") == 0) triad_of(a, b, c, 0.5, LARGE);
        else if (strcmp(name, "triad-64") == 0) triad_of(a, b, c, 0.5, 64);
        else if (strcmp(name, "triad-16") == 0) triad_of(a, b, c, 0.5, 16);
        else if (strcmp(name, "search") == 0) sum += find(numbers, SMALL, SMALL - 1);
        else if (strcmp(name, "leaf-call") == 0) sum += call_tiny(SMALL);
        else if (strcmp(name, "switch") == 0) sum += decide(code, SMALL);
        else if (strcmp(name, "recursion") == 0) sum += recurse(25);
        else if (strcmp(name, "collatz") == 0) sum += hail((unsigned long)(k + 1));
        else sum += follow(links);
    }
    printf("sum %ld %.17g\n", sum, a[15]);
    return 0;
}
