// PROGRAM
//
// A timer's handler runs the kernel that it interrupts, and the kernel is entered by raise() from inside its own loop.
// Usage: handlers [expect] [TICKS]. Prints to standard error how often the kernel ran.

#include "expect.h"
#include <signal.h>
#include <sys/time.h>

enum { N = 257 };
static double buffer[N];
static volatile sig_atomic_t ticks, raised;
static volatile double sink;

KERNEL double work(const double *b, long n) {
    KEEP;
    double sum = 0;
    for (long i = 0; i < n; i++) // LOOP name=work class=fp-reduction
        sum += b[i] * 1.5;
    return sum;
}
KERNEL long interrupted(long n) {
    KEEP;
    long sum = 0;
    for (long i = 0; i < n; i++) { // LOOP name=interrupted class=call
        sum += i;
        if (i % 16 == 15 && !raised) raise(SIGUSR1);
        KEEP;
    }
    return sum;
}
static void on_tick(int signal) {
    (void)signal;
    sink = work(buffer, N);
    ticks++;
}
static void on_raise(int signal) {
    (void)signal;
    raised = 1;
    sink = (double)interrupted(8);
    raised = 0;
}

// interrupted(160): raises in ten passes, each of which runs 8 more in the handler.
static void expect(void) {
    printf("function interrupted calls=11\nloop interrupted entries=11 iterations=%d\n", 160 + 10 * 8);
}

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long wanted = argument(argc, argv, 1, 100), runs = 0;
    if (ask) return expect(), 0;
    for (int i = 0; i < N; i++) buffer[i] = i;
    signal(SIGUSR1, on_raise);
    printf("interrupted %ld\n", interrupted(160));
    struct sigaction action = {.sa_handler = on_tick};
    sigaction(SIGPROF, &action, 0);
    sigaction(SIGALRM, &action, 0);
    struct itimerval fast = {{0, 200}, {0, 200}}, off = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &fast, 0);
    setitimer(ITIMER_PROF, &fast, 0);
    double first = work(buffer, N), different = 0;
    for (runs = 1; ticks < wanted; runs++) different += work(buffer, N) != first;
    setitimer(ITIMER_REAL, &off, 0);
    setitimer(ITIMER_PROF, &off, 0);
    printf("work %.17g different %g\n", first, different);
    long total = runs + ticks;
    fprintf(stderr, "expect function work calls=%ld f64=%ld\n", total, 2 * N * total);
    fprintf(stderr, "expect loop work entries=%ld iterations=%ld\n", total, N * total);
    return 0;
}
