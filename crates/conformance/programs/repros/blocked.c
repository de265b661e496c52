/* PROGRAM: signals that are blocked or ignored stay so across exec, SIGTRAP among them. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words) {
    (void)words;
    sigset_t mask;
    if (count == 1) {
        sigfillset(&mask);
        sigprocmask(SIG_SETMASK, &mask, 0);
        execl("/proc/self/exe", "blocked", "1", (char *)0);
    }
    sigprocmask(0, 0, &mask);
    printf("SIGTRAP blocked: %d\n", sigismember(&mask, SIGTRAP));
    fflush(stdout);
    signal(SIGTRAP, SIG_IGN);
    if (count == 2)
        execl("/proc/self/exe", "blocked", "1", "2", (char *)0);
    struct sigaction action;
    sigaction(SIGTRAP, 0, &action);
    printf("SIGTRAP ignored: %d\n", action.sa_handler == SIG_IGN);
    return 0;
}
