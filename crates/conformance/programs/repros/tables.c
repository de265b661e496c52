#include <stdio.h>

long select_from(unsigned long which, long r12);
__asm__("select_from:\n"
        "push %r12\n"
        "mov %rsi, %r12\n"
        "call select\n"
        "pop %r12\n"
        "ret\n");

int main(void) {
    for (int k = 0; k < 40; k++)
        printf("%ld\n", select_from(k, 1000 + k));
    return 0;
}
