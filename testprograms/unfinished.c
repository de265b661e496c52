// PROGRAM
//
// A child is killed in the middle of a loop that it would never leave; the parent runs its loops to their ends.

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* In memory that both share: how far the child has come. */
static volatile long *done;

__attribute__((noinline)) static void endless(long n) {
    for (long k = 0; k < n; k++) // LOOP name=endless class=memory
        *done += 1;
}

__attribute__((noinline)) static double finished(long n) {
    double sum = 0;
    for (long k = 0; k < n; k++) // LOOP name=finished class=fp-reduction
        sum += 0.5 * (double)k;
    return sum;
}

int main(void) {
    done = mmap(0, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (done == MAP_FAILED) return 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        endless(1L << 62);
        _exit(0);
    }
    while (*done < 1000000) usleep(1000);
    kill(child, SIGKILL);
    waitpid(child, 0, 0);
    printf("%g\n", finished(1000));
    return 5;
}
