// PROGRAM flags=-pthread
//
// Threads with uneven, known work, then many short ones. Usage: pthreads [expect] [THREADS] [N] [SHORT THREADS].

#include "expect.h"
#include <pthread.h>

struct part {
    long n;
    double sum;
};

KERNEL double uneven(long n) {
    KEEP;
    double sum = 0;
    for (long i = 0; i < n; i++) // LOOP name=uneven class=fp-reduction
        sum += 0.5 * (double)i;
    return sum;
}
KERNEL long brief(long n) {
    KEEP;
    long sum = 0;
    for (long i = 0; i < n; i++) { // LOOP name=brief class=int-reduction
        KEEP;
        sum += i;
    }
    return sum;
}
static void *run_uneven(void *argument) {
    struct part *part = argument;
    part->sum = uneven(part->n);
    return 0;
}
static void *run_brief(void *argument) {
    struct part *part = argument;
    part->sum = (double)brief(part->n);
    return 0;
}

// Thread t of T works on (t + 1) n elements: T(T+1)/2 n in all, two FLOP each.
static void expect(long threads, long n, long many) {
    printf("function uneven calls=%ld f64=%ld\n", threads, n * threads * (threads + 1));
    printf("loop uneven entries=%ld iterations=%ld min=%ld max=%ld\n", threads, n * threads * (threads + 1) / 2, n,
           n * threads);
    printf("threads uneven f64=");
    for (long t = 1; t <= threads; t++) printf("%s%ld", t > 1 ? "," : "", 2 * n * t);
    // Short thread k runs 1 + k % 7 iterations.
    long passes = 0;
    for (long k = 0; k < many; k++) passes += 1 + k % 7;
    printf("\nfunction brief calls=%ld\nloop brief entries=%ld iterations=%ld\n", many, many, passes);
}

enum { AT_ONCE = 20 };

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long threads = argument(argc, argv, 1, 4), n = argument(argc, argv, 2, 1000), many = argument(argc, argv, 3, 340);
    if (ask) return expect(threads, n, many), 0;
    pthread_t ids[64];
    struct part parts[64];
    if (threads > 64) return 1;
    double sum = 0;
    for (long t = 0; t < threads; t++) {
        parts[t].n = n * (t + 1);
        if (pthread_create(&ids[t], 0, run_uneven, &parts[t])) return 1;
    }
    for (long t = 0; t < threads; t++) pthread_join(ids[t], 0), sum += parts[t].sum;
    for (long k = 0; k < many;) {
        long batch = many - k < AT_ONCE ? many - k : AT_ONCE;
        for (long t = 0; t < batch; t++, k++) {
            parts[t].n = 1 + k % 7;
            if (pthread_create(&ids[t], 0, run_brief, &parts[t])) return 1;
        }
        for (long t = 0; t < batch; t++) pthread_join(ids[t], 0), sum += parts[t].sum;
    }
    printf("sum %.17g\n", sum);
    return 0;
}
