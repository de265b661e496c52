/* Functions that use threads work in a process forked after they did: its pool of threads is not that of its parent. */
#define _POSIX_C_SOURCE 200809L
#include "expect.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES ((size_t)16 << 20)

static unsigned char *data;

static void swap(void)
{
    size_t i;
    for (i = 0; i < BYTES; i++)
        data[i] = (unsigned char)i;
    EXPECT(lw_byteswap_par(4, data, data, BYTES) == LW_OK);
    for (i = 0; i < BYTES; i++)
        if (data[i] != (unsigned char)(i ^ 3)) {
            EXPECT(data[i] == (unsigned char)(i ^ 3));
            break;
        }
}

int main(void)
{
    pid_t child;
    int status = -1;

    data = malloc(BYTES);
    EXPECT(data != NULL);
    swap();
    child = fork();
    if (child == 0) {
        alarm(60);
        swap();
        _exit(failures);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    swap();
    free(data);
    return failures == 0 ? 0 : 1;
}
