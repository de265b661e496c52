/* PROGRAM: kills children at moments when they enter functions for the first time, and does not wait for them. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define LATE(n) \
    __attribute__((noinline)) static long late##n(long count) { \
        long sum = n; \
        for (long k = 0; k < count; k++) \
            sum += k * sum ^ n; \
        return sum; \
    }
LATE(0) LATE(1) LATE(2) LATE(3) LATE(4) LATE(5) LATE(6) LATE(7)
static long (*const late[])(long) = {late0, late1, late2, late3, late4, late5, late6, late7};

int main(void) {
    setvbuf(stdout, 0, _IONBF, 0);
    for (int i = 0; i < 8; i++) {
        pid_t child = fork();
        if (!child) {
            execlp("awk", "awk", "BEGIN { for (i = 0; i < 100000; i++) s += i }", (char *)0);
            _exit(1);
        }
        usleep(20000 + 9000 * i);
        kill(child, SIGKILL);
        printf("%d %ld\n", i, late[i](5));
    }
    puts("end");
    return 0;
}
