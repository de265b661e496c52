/* Allocations whose number and bytes follow from the text, by threads, in children and under signals. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void *handed[1000];
static volatile int signals;

static void counting(int number)
{
    (void)number;
    signals++;
}

static void *makes(void *unused)
{
    for (int k = 0; k < 1000; k++)
        handed[k] = malloc(10000);
    return unused;
}

static void *drops(void *unused)
{
    for (int k = 0; k < 1000; k++)
        free(handed[k]);
    return unused;
}

static void *keeps(void)
{
    return malloc(3 << 20);
}

static void grows(void)
{
    char *text = 0;
    for (int k = 1; k <= 100; k++)
        text = realloc(text, 1000 * k);
    realloc(text, 0);
}

static void small(void)
{
    for (int k = 0; k < 50000; k++)
        free(malloc(24));
    for (int k = 0; k < 50; k++)
        free(calloc(100, 8));
}

int main(void)
{
    signal(SIGALRM, counting);
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, 0);
    small();
    grows();
    setitimer(ITIMER_REAL, &never, 0);
    void *aligned = 0;
    int failed = posix_memalign(&aligned, 64, 5000);
    free(aligned);
    pthread_t thread;
    pthread_create(&thread, 0, makes, 0);
    pthread_join(thread, 0);
    pthread_create(&thread, 0, drops, 0);
    pthread_join(thread, 0);
    for (int k = 0; k < 4; k++)
        failed += keeps() == 0;
    free(strdup("five "));
    if (fork() == 0) {
        free(malloc(100));
        _exit(0);
    }
    wait(0);
    failed += malloc(PTRDIFF_MAX) != 0;
    printf("%d failed\n", failed);
    return 0;
}
