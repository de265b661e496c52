// PROGRAM
//
// A process that forks: two children work on different loops, a grandchild is another program (`true`), and the
// parent works on a third loop and waits. Usage: forks [SECONDS per process, default 0.5].
// Prints `process NAME PID CPU_SECONDS`.

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 1000 };
static double x[N], y[N];

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static void first(void) {
    for (int i = 1; i < N; i++) x[i] = 0.5 * x[i - 1] + y[i]; // LOOP name=first class=recurrence
}
__attribute__((noinline)) static void second(void) {
    for (int i = 0; i < N; i++) x[i] = y[i] / (x[i] + 1.5); // LOOP name=second class=fp-map
}
__attribute__((noinline)) static void parent(void) {
    for (int i = 2; i < N; i++) x[i] = 0.25 * x[i - 2] + y[i]; // LOOP name=parent class=recurrence
}

static void work(const char *name, void (*kernel)(void), double seconds) {
    double start = cpu_seconds();
    while (cpu_seconds() - start < seconds)
        for (int k = 0; k < 100; k++) kernel();
    printf("process %s %d %.6f\n", name, (int)getpid(), cpu_seconds());
    fflush(stdout);
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? strtod(argv[1], 0) : 0.5;
    for (int i = 0; i < N; i++) y[i] = (i * 37 % 101) / 101.0;
    pid_t one = fork();
    if (one < 0) return perror("fork"), 1;
    if (one == 0) {
        work("first", first, seconds);
        pid_t program = fork();
        if (program == 0) {
            execlp("true", "true", (char *)0);
            _exit(127);
        }
        int status = 0;
        waitpid(program, &status, 0);
        _exit(status ? 1 : 0);
    }
    pid_t two = fork();
    if (two < 0) return perror("fork"), 1;
    if (two == 0) {
        work("second", second, seconds);
        _exit(0);
    }
    work("parent", parent, seconds);
    int failed = 0, status;
    while (wait(&status) > 0) failed |= status != 0;
    return failed;
}
