/* Two phases of known share of CPU time, measured by the program itself, in every thread: the argument gives
 * the number of threads. Prints "NAME SECONDS" for each phase, summed over the threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

__attribute__((noinline)) unsigned long integer_phase(unsigned long n, unsigned long x) {
    for (unsigned long i = 0; i < n; i++) x = x * 6364136223846793005UL + 1442695040888963407UL;
    return x;
}

__attribute__((noinline)) double divide_phase(unsigned long n, double x) {
    for (unsigned long i = 0; i < n; i++) x = 1.0 / (x + 0.5);
    return x;
}

struct result { double integer, divide; unsigned long sink; };

static void *work(void *argument) {
    struct result *result = argument;
    double begin = now();
    while (result->integer + result->divide < 1.2) {
        double a = now();
        result->sink += integer_phase(3000000, result->sink);
        double b = now();
        result->sink += (unsigned long)divide_phase(500000, 1.0 + result->sink % 3);
        double c = now();
        result->integer += b - a;
        result->divide += c - b;
    }
    (void)begin;
    return NULL;
}

int main(int count, char **arguments) {
    int threads = count > 1 ? atoi(arguments[1]) : 1;
    struct result results[64] = {{0}};
    pthread_t ids[64];
    for (int i = 1; i < threads; i++) pthread_create(&ids[i], NULL, work, &results[i]);
    work(&results[0]);
    for (int i = 1; i < threads; i++) pthread_join(ids[i], NULL);
    struct result sum = {0};
    for (int i = 0; i < threads; i++) {
        sum.integer += results[i].integer;
        sum.divide += results[i].divide;
        sum.sink += results[i].sink;
    }
    printf("integer_phase %.6f\ndivide_phase %.6f\n", sum.integer, sum.divide);
    return sum.sink == 42;
}
