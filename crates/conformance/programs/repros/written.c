/* PROGRAM: changes an instruction of its own text between two executions. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

extern char patched[];
__attribute__((noinline)) static int get(void) {
    int value;
    __asm__ volatile(".globl patched\npatched: mov $77, %%eax\n" : "=a"(value));
    return value;
}

int main(void) {
    if (mprotect((void *)((long)patched & ~4095L), 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
        return 2;
    int before = get(), five = 5;
    memcpy(patched + 1, &five, sizeof five);
    printf("%d %d\n", before, get());
    return 0;
}
