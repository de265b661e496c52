/* Works for a while, then ends as its first argument says. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

volatile unsigned long sink;

__attribute__((noinline)) void burn(unsigned long n) {
    unsigned long x = sink + 1;
    for (unsigned long i = 0; i < n; i++) x = x * 6364136223846793005UL + 1442695040888963407UL;
    sink = x;
}

__attribute__((noinline)) void child_burn(unsigned long n) {
    unsigned long x = sink + 2;
    for (unsigned long i = 0; i < n; i++) x = x * 6364136223846793005UL + 1442695040888963407UL;
    sink = x;
}

static void on_interrupt(int number) {
    (void)number;
    _exit(17);
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "exit";
    if (!strcmp(how, "quick")) return 5;
    if (!strcmp(how, "signals")) {
        /* What was inherited: ignored signals and the mask, as numbers. */
        sigset_t mask;
        sigprocmask(SIG_BLOCK, NULL, &mask);
        for (int s = 1; s < 32; s++) {
            struct sigaction action;
            if (sigaction(s, NULL, &action)) continue;
            if (action.sa_handler != SIG_DFL) printf("changed %d\n", s);
            if (sigismember(&mask, s)) printf("blocked %d\n", s);
        }
        printf("pending descriptors:");
        for (int fd = 3; fd < 64; fd++) if (fcntl(fd, F_GETFD) >= 0) printf(" %d", fd);
        printf("\n");
        return 0;
    }
    if (!strcmp(how, "interrupt")) {
        signal(SIGINT, on_interrupt);
        for (;;) burn(10000000);
    }
    if (!strcmp(how, "stubborn")) {
        signal(SIGINT, SIG_IGN);
        for (;;) burn(10000000);
    }
    if (!strcmp(how, "fork")) {
        pid_t pid = fork();
        if (pid == 0) {
            child_burn(200000000);
            _exit(0);
        }
        burn(200000000);
        waitpid(pid, NULL, 0);
        return 0;
    }
    if (!strcmp(how, "orphan")) {
        /* A grandchild that works on after its parent has ended, while the program still runs. */
        if (fork() == 0) {
            if (fork() == 0) {
                child_burn(200000000);
                _exit(0);
            }
            _exit(0);
        }
        wait(NULL);
        burn(500000000);
        return 0;
    }
    if (!strcmp(how, "daemon")) {
        if (fork() == 0) {
            setsid();
            sleep(30);
            _exit(0);
        }
        burn(100000000);
        return 0;
    }
    burn(200000000);
    if (!strcmp(how, "crash")) *(volatile int *)16 = 1;
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(how, "exec")) {
        execl(arguments[0], arguments[0], "exit", (char *)NULL);
        return 99;
    }
    return 3;
}
