/* Allocations whose numbers are known, by what the first argument names. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *kept[400];

static void *release(void *blocks)
{
    for (int i = 0; i < 64; i++)
        free(((void **)blocks)[i]);
    return NULL;
}

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
    (void)number;
    free(malloc(24));
    handled = handled + 1;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    if (strcmp(what, "small") == 0) {
        kept[0] = malloc(10);
    } else if (strcmp(what, "leak") == 0) {
        for (int i = 0; i < 400; i++)
            kept[i] = malloc(400 << 10);
    } else if (strcmp(what, "threads") == 0) {
        /* One thread frees what another one allocated. */
        for (int i = 0; i < 64; i++)
            kept[i] = malloc(1 << 20);
        pthread_t other;
        if (pthread_create(&other, NULL, release, kept) != 0)
            return 1;
        pthread_join(other, NULL);
    } else if (strcmp(what, "signals") == 0) {
        signal(SIGUSR1, on_signal);
        for (int i = 0; i < 2000; i++) {
            raise(SIGUSR1);
            kept[0] = malloc(100);
            free(kept[0]);
        }
    } else if (strcmp(what, "fork") == 0) {
        kept[0] = malloc(4 << 20);
        pid_t child = fork();
        if (child == 0) {
            free(kept[0]);
            kept[1] = malloc(64);
            if (!kept[1])
                _exit(1);
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        int status = 1;
        waitpid(child, &status, 0);
        handled = status;
        free(kept[0]);
    }
    printf("%s %d\n", what, (int)handled);
    return 0;
}
