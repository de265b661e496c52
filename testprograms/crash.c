// PROGRAM
//
// Works half a second of CPU time in one loop, then dies by SIGSEGV. What was sampled before must not be lost.
// Usage: crash [SECONDS, default 0.5] [abort|exit3]: other ways to end.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 1000 };
static double x[N];

__attribute__((noinline)) static void work(void) {
    for (int i = 1; i < N; i++) x[i] = 0.5 * x[i - 1] + 0.25; // LOOP name=work class=recurrence
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? strtod(argv[1], 0) : 0.5;
    while ((double)clock() / CLOCKS_PER_SEC < seconds)
        for (int k = 0; k < 100; k++) work();
    printf("worked %.2f\n", seconds);
    fflush(stdout);
    if (argc > 2 && !strcmp(argv[2], "abort")) abort();
    if (argc > 2 && !strcmp(argv[2], "exit3")) return 3;
    volatile int *volatile nowhere = 0;
    return *nowhere;
}
