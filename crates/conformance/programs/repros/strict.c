/* PROGRAM: enters strict seccomp, then calls a function for the first time. */
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) static long late(long n) {
    long sum = 1;
    for (long i = 0; i < n; i++)
        sum = sum * 3 + i;
    return sum;
}

int main(void) {
    prctl(PR_SET_SECCOMP, 1, 0, 0, 0);
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", late(10));
    if (write(1, text, length) != length)
        return 1;
    syscall(SYS_exit, 5);
}
