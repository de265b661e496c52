// PROGRAM
//
// Ends after about ten milliseconds: almost nothing to sample.

#include <stdio.h>
#include <time.h>

static double x[1000];

__attribute__((noinline)) static void work(void) {
    for (int i = 1; i < 1000; i++) x[i] = 0.5 * x[i - 1] + 0.25; // LOOP name=work class=recurrence
}

int main(void) {
    while ((double)clock() / CLOCKS_PER_SEC < 0.01) work();
    printf("done %.3f\n", x[999]);
    return 0;
}
