// PROGRAM
//
// Runs until it is killed: for surveys that end by a signal. Prints `ready` once it works. Ends by itself after
// two minutes, so that a failed test leaves nothing behind.

#include <stdio.h>
#include <time.h>

static double x[1000];

__attribute__((noinline)) static void work(void) {
    for (int i = 1; i < 1000; i++) x[i] = 0.5 * x[i - 1] + 0.25; // LOOP name=work class=recurrence
}

int main(void) {
    puts("ready");
    fflush(stdout);
    time_t start = time(0);
    while (time(0) - start < 120) work();
    return x[999] < 0;
}
