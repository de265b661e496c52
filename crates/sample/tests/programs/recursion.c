/* main -> outer -> descend x 30 -> leaf_work: a known chain, without frame pointers. "signal" as argument runs
 * the same work inside a signal handler, "jump" after a longjmp out of a deep recursion. It takes more than a second, so
 * that one sample is less than two percent on a busy machine, too. */
#include <setjmp.h>
#include <signal.h>
#include <string.h>

volatile unsigned long sink;
static jmp_buf back;

__attribute__((noinline)) unsigned long leaf_work(unsigned long n) {
    unsigned long x = sink + 1;
    for (unsigned long i = 0; i < n; i++) x = x * 6364136223846793005UL + 1442695040888963407UL;
    sink = x;
    return x;
}

__attribute__((noinline)) unsigned long descend(int depth, unsigned long n) {
    unsigned long inner = depth == 1 ? leaf_work(n) : descend(depth - 1, n);
    sink += inner + depth; /* no tail call */
    return inner + 1;
}

__attribute__((noinline)) unsigned long outer(unsigned long n) {
    unsigned long result = descend(30, n);
    sink += result;
    return result;
}

static void handler(int number) {
    (void)number;
    outer(1000000000UL);
}

__attribute__((noinline)) void jump_out(int depth) {
    if (depth == 0) longjmp(back, 1);
    jump_out(depth - 1);
    sink++;
}

int main(int count, char **arguments) {
    if (count > 1 && !strcmp(arguments[1], "signal")) {
        signal(SIGUSR1, handler);
        raise(SIGUSR1);
    } else if (count > 1 && !strcmp(arguments[1], "jump")) {
        for (int i = 0; i < 1000; i++)
            if (!setjmp(back)) jump_out(20);
        outer(1000000000UL);
    } else {
        outer(1000000000UL);
    }
    return 0;
}
