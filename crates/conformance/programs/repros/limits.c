/* PROGRAM: limits its own address space and allocates within the limit. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(void) {
    struct rlimit limit = {1L << 30, 1L << 30};
    setrlimit(RLIMIT_AS, &limit);
    puts(malloc(100 << 20) ? "allocated" : "refused");
    return 0;
}
