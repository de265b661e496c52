// PROGRAM
//
// Control flow that counting must handle: early exits, break and continue, jump tables, computed goto, leaf calls,
// recursion, data-dependent trips, lists and strings. Usage: flow [expect] [N].

#include "expect.h"

// Index of the first `wanted`, or n.
KERNEL long search(const int *a, long n, int wanted) {
    KEEP;
    for (long i = 0; i < n; i++) // LOOP name=search class=search
        if (a[i] == wanted) return i;
    return n;
}

// Skips odd values, stops at a negative one.
KERNEL long skip_and_stop(const int *a, long n) {
    KEEP;
    long sum = 0;
    for (long i = 0; i < n; i++) { // LOOP name=skip class=search
        if (a[i] & 1) continue;
        if (a[i] < 0) break;
        sum += a[i];
        KEEP;
    }
    return sum;
}

KERNEL long dispatch(const unsigned char *code, long n) {
    KEEP;
    long x = 1;
    for (long i = 0; i < n; i++) { // LOOP name=dispatch class=switch
        switch (code[i]) {
        case 0: x += 3; break;
        case 1: x ^= x << 1; break;
        case 2: x -= i; KEEP; break;
        case 3: x = x * 5 + 1; break;
        case 4: x >>= 1; KEEP; break;
        case 5: x |= 8; break;
        case 6: x = ~x; KEEP; break;
        case 7: x &= 0xffffff; break;
        default: x += code[i];
        }
    }
    return x;
}

KERNEL long threaded(const unsigned char *code, long start) {
    KEEP;
    static const void *const labels[] = {&&add, &&twice, &&count, &&stop};
    long x = start, turns = start;
    const unsigned char *at = code;
    goto *labels[*at++];
add: x += 7; goto *labels[*at++];
twice: x *= 2; goto *labels[*at++];
count:
    if (--turns > 0) at = code;
    goto *labels[*at++];
stop: return x & 0xffff;
}

KERNEL long leaf(long x) {
    KEEP;
    return x * 3 + 1;
}
KERNEL long calls_leaf(long n) {
    KEEP;
    long sum = 0;
    for (long i = 0; i < n; i++) // LOOP name=calls_leaf class=call
        sum += leaf(i);
    return sum;
}

KERNEL long fibonacci(long n) {
    KEEP;
    if (n < 2) return n;
    long a = fibonacci(n - 1), b = fibonacci(n - 2);
    OPAQUE(b);
    return a + b;
}

// Mutual recursion, each with a loop in which it recurses once.
KERNEL long pong(long depth, long width);
KERNEL long ping(long depth, long width) {
    KEEP;
    long sum = 0;
    for (long i = 0; i < width; i++) { // LOOP name=ping class=call
        long below = i == 1 && depth > 0 ? pong(depth - 1, width + 1) : i;
        OPAQUE(below);
        sum += below;
    }
    return sum;
}
KERNEL long pong(long depth, long width) {
    KEEP;
    long sum = 1;
    for (long i = 0; i < width; i++) { // LOOP name=pong class=call
        long below = i == 0 && depth > 0 ? ping(depth - 1, width + 1) : i;
        OPAQUE(below);
        sum += below;
    }
    return sum;
}

// Steps until 1; trips depend on the data.
KERNEL long collatz(unsigned long x) {
    KEEP;
    long steps = 0;
    while (x != 1) { // LOOP name=collatz class=search
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    return steps;
}

struct node {
    struct node *next;
    long value;
};
KERNEL long walk(const struct node *at) {
    KEEP;
    long sum = 0;
    while (at) { // LOOP name=walk class=list-walk
        sum += at->value;
        at = at->next;
    }
    return sum;
}

KERNEL long count_bytes(const char *text, char wanted) {
    KEEP;
    long count = 0;
    for (; *text; text++) // LOOP name=count_bytes class=string-scan
        count += *text == wanted;
    return count;
}
KERNEL void histogram(int *bins, const unsigned char *data, long n) {
    KEEP;
    for (long i = 0; i < n; i++) // LOOP name=histogram class=histogram
        bins[data[i]]++;
}

static void expect(long n) {
    // search: hits at 0, n/2, and none: 1 + (n/2 + 1) + n passes.
    printf("function search calls=3 f64=0\n");
    printf("loop search entries=3 breaks=2 iterations=%ld min=1 max=%ld\n", 1 + (n / 2 + 1) + n, n);
    // skip_and_stop: data 0..n-1 once to the end, once stopped in pass 2*(n/4)+1 by a negative even value.
    printf("function skip_and_stop calls=2\n");
    printf("loop skip entries=2 breaks=1 iterations=%ld max=%ld\n", n + 2 * (n / 4) + 1, n);
    printf("function dispatch calls=1\nloop dispatch entries=1 iterations=%ld\n", n);
    printf("function threaded calls=1\n");
    printf("function leaf calls=%ld\nfunction calls_leaf calls=1\nloop calls_leaf entries=1 iterations=%ld\n", n, n);
    // fibonacci: calls(k) = 1 + calls(k-1) + calls(k-2) = 2 F(k+1) - 1; F(13) = 233.
    printf("function fibonacci calls=%d\n", 2 * 233 - 1);
    // ping(4, 3): ping(4,3), pong(3,4), ping(2,5), pong(1,6), ping(0,7).
    printf("function ping calls=3\nloop ping entries=3 iterations=%d\n", 3 + 5 + 7);
    printf("function pong calls=2\nloop pong entries=2 iterations=%d\n", 4 + 6);
    // collatz: no closed form is known; the plain definition, followed here.
    long steps = 0, longest = 0;
    for (long i = 1; i <= n; i++) {
        long own = 0;
        for (long x = i; x != 1; own++) x = x % 2 ? 3 * x + 1 : x / 2;
        steps += own;
        longest = own > longest ? own : longest;
    }
    printf("function collatz calls=%ld\n", n);
    printf("loop collatz entries=%ld zero=1 iterations=%ld max=%ld\n", n, steps, longest);
    printf("function walk calls=5\nloop walk entries=5 iterations=%ld min=%ld max=%ld\n", 5 * n, n, n);
    printf("function count_bytes calls=2\nloop count_bytes entries=2 zero=1 iterations=%ld max=%ld\n", n, n);
    printf("function histogram calls=1\nloop histogram entries=1 iterations=%ld loaded=%ld stored=%ld\n", n, 5 * n, 4 * n);
}

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long n = argument(argc, argv, 1, 200);
    if (ask) return expect(n), 0;
    size_t count = (size_t)n;
    int *a = malloc(sizeof *a * count), bins[256] = {0};
    unsigned char *code = malloc(count);
    char *text = malloc(count + 1);
    struct node *nodes = malloc(sizeof *nodes * count);
    if (!a || !code || !text || !nodes) return 1;
    for (long i = 0; i < n; i++) {
        a[i] = (int)i;
        code[i] = (unsigned char)((i * 7 + i / 9) % 10);
        text[i] = (char)('a' + i % 26);
        nodes[i].value = i;
        nodes[i].next = i + 1 < n ? &nodes[i + 1] : 0;
    }
    text[n] = 0;
    printf("search %ld %ld %ld\n", search(a, n, 0), search(a, n, (int)(n / 2)), search(a, n, -1));
    long whole = skip_and_stop(a, n);
    a[2 * (n / 4)] = -2;
    printf("skip %ld %ld\n", whole, skip_and_stop(a, n));
    printf("dispatch %ld\n", dispatch(code, n));
    const unsigned char program[] = {0, 1, 0, 2, 3};
    printf("threaded %ld\n", threaded(program, n));
    printf("leaf %ld\n", calls_leaf(n));
    printf("fibonacci %ld\n", fibonacci(12));
    printf("ping %ld\n", ping(4, 3));
    long steps = 0, sum = 0;
    for (long i = 1; i <= n; i++) steps += collatz((unsigned long)i);
    for (int k = 0; k < 5; k++) sum += walk(nodes);
    printf("collatz %ld\nwalk %ld\n", steps, sum);
    printf("bytes %ld %ld\n", count_bytes(text, 'e'), count_bytes("", 'e'));
    histogram(bins, code, n);
    printf("histogram %d %d\n", bins[0], bins[9]);
    return 0;
}
