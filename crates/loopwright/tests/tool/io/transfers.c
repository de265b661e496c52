/* Reads and writes whose number and bytes follow from the text, in ways that have broken tools. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int signalled;
static jmp_buf left;

static void counting(int number)
{
    (void)number;
    int kept = errno;
    if (write(signalled, "s", 1) == 1)
        errno = kept;
}

static void jumping(int number)
{
    (void)number;
    longjmp(left, 1);
}

static void *lines(void *which)
{
    char name[16];
    snprintf(name, sizeof name, "thread%ld", (long)which);
    FILE *file = fopen(name, "w");
    for (int k = 0; k < 1000; k++)
        fprintf(file, "%03d\n", k);
    fclose(file);
    return 0;
}

static int created(const char *name, int more)
{
    return open(name, O_CREAT | O_TRUNC | O_RDWR | more, 0644);
}

int main(void)
{
    char bytes[4096];
    memset(bytes, 'x', sizeof bytes);
    /* What the system refuses stays refused. */
    int refused = open((char *)8, O_RDONLY) == -1 && errno == EFAULT;
    refused += read(99, bytes, 10) == -1 && errno == EBADF;
    refused += write(1, (void *)8, 10) == -1 && errno == EFAULT;

    int small = created("small", 0);
    for (int k = 0; k < 500; k++)
        refused += write(small, bytes, 64) != 64;
    lseek(small, 0, SEEK_SET);
    for (int k = 0; k < 100; k++)
        refused += read(small, bytes, 64) != 64;
    for (int k = 4; k > 0; k--)
        refused += pread(small, bytes, 64, 1000 * k) != 64;
    fsync(small);
    close(small);

    pthread_t threads[3];
    for (long k = 0; k < 3; k++)
        pthread_create(&threads[k], 0, lines, (void *)k);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], 0);

    /* Descriptors are what they are in each process: of a child that has its own memory, and of two that share it. */
    int shared = created("shared", O_APPEND);
    if (fork() == 0) {
        for (int k = 0; k < 10; k++)
            refused += write(shared, bytes, 10) != 10;
        _exit(0);
    }
    wait(0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, shared, 1);
    char *words[] = {"true", 0};
    pid_t child;
    posix_spawnp(&child, "true", &actions, 0, words, environ);
    waitpid(child, 0, 0);
    child = vfork();
    if (child == 0) {
        dup2(shared, 1);
        close(shared);
        execlp("true", "true", (char *)0);
        _exit(1);
    }
    waitpid(child, 0, 0);
    for (int k = 0; k < 5; k++)
        refused += write(shared, bytes, 100) != 100;

    /* Standard output is the file for a while. */
    int kept = dup(1);
    dup2(shared, 1);
    printf("into the file\n");
    fflush(stdout);
    dup2(kept, 1);
    close(kept);

    signalled = created("signals", 0);
    signal(SIGUSR1, counting);
    for (int k = 0; k < 7; k++)
        raise(SIGUSR1);

    /* A descriptor that is closed among others is of no file any more. */
    int last = created("last", 0);
    refused += write(last, bytes, 3) != 3;
    refused += close_range(last, last, 0) != 0;
    int other[2];
    refused += pipe(other) != 0 || other[0] != last;
    refused += write(other[1], bytes, 10) != 10 || read(last, bytes, 10) != 10;

    /* A stream without a descriptor is closed without an error. */
    FILE *memory = fmemopen(bytes, sizeof bytes, "r");
    errno = 0;
    refused += fclose(memory) != 0 || errno != 0;

    int ends[2];
    refused += pipe(ends) != 0;
    struct sigaction action = {.sa_handler = jumping, .sa_flags = SA_NODEFER};
    sigaction(SIGALRM, &action, 0);
    if (setjmp(left) == 0) {
        alarm(1);
        refused += (int)read(ends[0], bytes, 1);
    }
    for (int k = 0; k < 200; k++) {
        FILE *file = fopen("thread0", "r");
        refused += fread(bytes, 4, 3, file) != 3;
        fclose(file);
    }
    printf("%d as expected\n", refused);
    return 0;
}
