// PROGRAM
//
// longjmp into, out of and through loops. Usage: jumps [expect] [N].

#include "expect.h"
#include <setjmp.h>

static jmp_buf back;

KERNEL void maybe_jump(long i) {
    KEEP;
    if (i % 10 == 5) longjmp(back, 1);
}

// Jumps back into the loop that called.
KERNEL long stays(long n) {
    KEEP;
    volatile long sum = 0;
    for (volatile long i = 0; i < n; i++) { // LOOP name=stays class=call
        if (setjmp(back) == 0) {
            maybe_jump(i);
            sum += 1;
        } else
            sum += 100;
    }
    return sum;
}

// Never gets to its end: jumps out of two loops.
KERNEL void leaves(long from, long to, long width) {
    KEEP;
    for (long i = from; i < to; i++)     // LOOP name=leaves class=call
        for (long k = 0; k < width; k++) // LOOP name=leaves_inner class=call
            maybe_jump(i);
}

KERNEL long outer(long n) {
    KEEP;
    volatile long sum = 0;
    for (volatile long i = 0; i < n; i++) { // LOOP name=outer class=call
        if (setjmp(back) == 0)
            leaves(0, n + 1000, 3);
        else
            sum += 3;
    }
    return sum;
}

// stays: one call per iteration. leaves(0): three calls for each of 0..4, and the first of 5 jumps: 16 calls.
static void expect(long n) {
    printf("function maybe_jump calls=%ld\n", n + 16 * n);
    printf("function stays calls=1\nloop stays entries=1 iterations=%ld\n", n);
    printf("function leaves calls=%ld\nloop leaves entries=%ld iterations=%ld\n", n, n, 6 * n);
    printf("loop leaves_inner entries=%ld iterations=%ld\n", 6 * n, 16 * n);
    printf("function outer calls=1\nloop outer entries=1 iterations=%ld\n", n);
}

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long n = argument(argc, argv, 1, 100);
    if (ask) return expect(n), 0;
    long a = stays(n), b = outer(n);
    printf("stays %ld outer %ld\n", a, b);
    return 0;
}
