/* Waits for time (`sleep`), for a lock that another thread holds while it sleeps (`lock`), or asks the kernel (`copy`). */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void nap(long milliseconds)
{
    struct timespec time = { 0, milliseconds * 1000000 };
    nanosleep(&time, 0);
    __asm__ volatile("");
}

__attribute__((noinline)) void take_turns(void)
{
    pthread_mutex_lock(&lock);
    nap(40);
    pthread_mutex_unlock(&lock);
}

static void *turns(void *unused)
{
    for (int turn = 0; turn < 5; turn++)
        take_turns();
    return unused;
}

__attribute__((noinline)) void copy(void)
{
    /* Many short calls: where the kernel's side is hidden, a sample needs the return from one. */
    char buffer[16384];
    int from = open("/dev/zero", O_RDONLY), to = open("/dev/null", O_WRONLY);
    for (int i = 0; i < 240000; i++) {
        if (read(from, buffer, sizeof buffer) < 0 || write(to, buffer, 1) < 0)
            _exit(1);
    }
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "sleep";
    if (!strcmp(what, "lock")) {
        pthread_t threads[3];
        for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], 0, turns, 0);
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], 0);
    } else if (!strcmp(what, "copy")) {
        copy();
    } else {
        for (int i = 0; i < 10; i++)
            nap(40);
    }
    return 0;
}
