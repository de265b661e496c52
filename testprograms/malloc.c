// PROGRAM
//
// Spends its time in malloc and free: many small blocks, and large ones beyond the mmap threshold that go back to
// the kernel each time. Usage: malloc [SECONDS, default 1].

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCKS = 2000, LARGE = 1 << 20 };
static void *blocks[BLOCKS];

__attribute__((noinline)) static void small_blocks(void) {
    for (int i = 0; i < BLOCKS; i++) { // LOOP name=allocate class=call
        blocks[i] = malloc(16 + (size_t)(i * 37 % 2000));
        *(char *)blocks[i] = (char)i;
    }
    for (int i = 0; i < BLOCKS; i++) free(blocks[i * 7 % BLOCKS]); // LOOP name=release class=call
}

__attribute__((noinline)) static double temporary_array(int n) {
    double *t = malloc((size_t)n * sizeof *t);
    if (!t) abort();
    for (int i = 0; i < n; i++) t[i] = i * 0.5; // LOOP name=fill class=fp-map
    double last = t[n - 1];
    free(t);
    return last;
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? strtod(argv[1], 0) : 1.0;
    double sum = 0;
    while ((double)clock() / CLOCKS_PER_SEC < seconds) {
        for (int k = 0; k < 10; k++) small_blocks();
        sum += temporary_array(LARGE / 8);
    }
    printf("sum %.1f\n", sum);
    return sum < 0;
}
