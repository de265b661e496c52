/* PROGRAM: its child is the first process of a PID namespace; the program goes on afterwards. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    if (unshare(CLONE_NEWPID))
        puts("not permitted");
    pid_t child = fork();
    if (!child)
        exit(6);
    int status = 0;
    waitpid(child, &status, 0);
    for (volatile long i = 0; i < 2000000; i++)
        ;
    puts("done");
    return WEXITSTATUS(status);
}
