// PROGRAM
//
// Spends its time in page faults: a large block is mapped, touched once per page and unmapped, again and again.
// Usage: fault [SECONDS, default 1]. Prints `faults COUNT`.

#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum { SIZE = 64 << 20, PAGE = 4096 };

__attribute__((noinline)) static long touch(char *block) {
    long sum = 0;
    for (long i = 0; i < SIZE; i += PAGE) { // LOOP name=touch class=strided
        block[i] = (char)i;
        sum += block[i];
    }
    return sum;
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? strtod(argv[1], 0) : 1.0;
    long sum = 0;
    while ((double)clock() / CLOCKS_PER_SEC < seconds) {
        char *block = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) return perror("mmap"), 1;
        // Small pages, whatever the machine's default for huge ones.
        madvise(block, SIZE, MADV_NOHUGEPAGE);
        sum += touch(block);
        munmap(block, SIZE);
    }
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("faults %ld\n", used.ru_minflt);
    return sum == 42;
}
