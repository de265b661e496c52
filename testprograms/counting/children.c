// PROGRAM
//
// Every way to start a process, each running the kernel: fork, fork + exec, vfork + exec, posix_spawn, system().
// Usage: children [expect] [N]; the executed ones run `children run N`.

#define _GNU_SOURCE
#include "expect.h"
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

KERNEL double task(long n) {
    KEEP;
    double sum = 0;
    for (long i = 0; i < n; i++) // LOOP name=task class=fp-reduction
        sum += 0.25 * (double)i;
    return sum;
}

static int finished(pid_t pid) {
    int status = -1;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return 255;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 254;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "run") == 0) {
        printf("executed %.17g\n", task(strtol(argv[2], 0, 10)));
        return 3;
    }
    int ask = asked(&argc, argv);
    long n = argument(argc, argv, 1, 1000);
    if (ask) {
        // The parent n, five forked children 1n..5n, four executed ones n each.
        printf("function task calls=10 f64=%ld\n", 2 * n * (1 + 15 + 4));
        printf("loop task entries=10 iterations=%ld min=%ld max=%ld\n", n * 20, n, 5 * n);
        return 0;
    }
    char self[4096], number[32], line[4200];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return 1;
    self[length] = 0;
    snprintf(number, sizeof number, "%ld", n);
    char *arguments[] = {self, (char *)"run", number, 0};
    printf("parent %.17g\n", task(n));
    fflush(stdout);
    for (int k = 1; k <= 5; k++) {
        pid_t pid = fork();
        if (pid == 0) {
            printf("child %d %.17g\n", k, task(k * n));
            fflush(stdout);
            _exit(k);
        }
        printf("status %d\n", finished(pid));
        fflush(stdout);
    }
    pid_t pid = fork();
    if (pid == 0) {
        execv(self, arguments);
        _exit(127);
    }
    printf("exec %d\n", finished(pid));
    fflush(stdout);
    pid = vfork();
    if (pid == 0) {
        execv(self, arguments);
        _exit(127);
    }
    printf("vfork %d\n", finished(pid));
    fflush(stdout);
    if (posix_spawn(&pid, self, 0, 0, arguments, environ)) return 1;
    printf("spawn %d\n", finished(pid));
    fflush(stdout);
    snprintf(line, sizeof line, "'%s' run %s", self, number);
    int status = system(line);
    printf("system %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}
