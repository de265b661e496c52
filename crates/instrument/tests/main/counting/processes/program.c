// Does one of the things by which programs with several processes, limits or seccomp differ from simple ones; `main`
// lists them. Each prints what a run under the tool must print, too, and ends with the same status.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

// Functions that nothing has called before: their first call asks the tool.
#define FRESH(n) \
    __attribute__((noinline)) static long fresh##n(long times) { \
        long s = n + 1; \
        for (long k = 0; k < times; k++) s += (k * s) ^ n; \
        return s; \
    }
FRESH(0) FRESH(1) FRESH(2) FRESH(3) FRESH(4) FRESH(5) FRESH(6) FRESH(7)
static long (*const fresh[])(long) = {fresh0, fresh1, fresh2, fresh3, fresh4, fresh5, fresh6, fresh7};
enum { FRESH_FUNCTIONS = sizeof fresh / sizeof *fresh };

static void nap(long microseconds) {
    struct timespec t = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&t, 0);
}

// Children are killed while they request one function after the other; the parent does not wait for them, so that their
// zombies stay. Then it asks itself.
static int killed(void) {
    for (int round = 0; round < 60; round++) {
        pid_t child = fork();
        if (!child) {
            for (int k = 1; k < FRESH_FUNCTIONS; k++) fresh[k](3);
            for (;;) pause();
        }
        nap(round * 37 % 1500);
        kill(child, SIGKILL);
    }
    for (int k = 0; k < FRESH_FUNCTIONS; k++) printf("%d %ld\n", k, fresh[k](5));
    return 0;
}

// The same with a child that is killed after each number of instructions on its way through its first request.
static int stepped(char **arguments) {
    int from = atoi(arguments[0]), to = atoi(arguments[1]);
    for (int steps = from; steps < to; steps++) {
        pid_t child = fork();
        if (!child) {
            ptrace(PTRACE_TRACEME, 0, 0, 0);
            raise(SIGSTOP);
            fresh0(3);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        for (int k = 0; k < steps && WIFSTOPPED(status); k++) {
            ptrace(PTRACE_SINGLESTEP, child, 0, 0);
            waitpid(child, &status, 0);
        }
        if (WIFSTOPPED(status)) kill(child, SIGKILL);
    }
    for (int k = 0; k < FRESH_FUNCTIONS; k++) printf("%d %ld\n", k, fresh[k](5));
    return 0;
}

static int namespaces(void) {
    if (unshare(CLONE_NEWPID)) {
        puts("not permitted");
        return 0;
    }
    pid_t child = fork();
    if (!child) {
        // The first process of its namespace.
        pid_t grandchild = fork();
        if (!grandchild) _exit(fresh1(4) & 3);
        int status;
        waitpid(grandchild, &status, 0);
        _exit(6 + WEXITSTATUS(status));
    }
    int status;
    waitpid(child, &status, 0);
    printf("%d %ld\n", WEXITSTATUS(status), fresh2(7));
    return WEXITSTATUS(status);
}

static int limited(void) {
    struct rlimit limit = {1L << 30, 1L << 30};
    setrlimit(RLIMIT_AS, &limit);
    void *half = malloc(500L << 20);
    for (int k = 0; k < FRESH_FUNCTIONS; k++) fresh[k](3);
    printf("%s\n", half ? "half of the limit is free" : "too little is left");
    return 0;
}

// Executes itself once for each way of treating SIGTRAP; the new program prints the treatment it finds.
static int traps(char *self) {
    sigset_t mask;
    for (int way = 0; way < 4; way++) {
        pid_t child = fork();
        if (!child) {
            sigemptyset(&mask);
            if (way & 1) sigaddset(&mask, SIGTRAP);
            sigaddset(&mask, SIGUSR1);
            sigprocmask(SIG_SETMASK, &mask, 0);
            signal(SIGTRAP, way & 2 ? SIG_IGN : SIG_DFL);
            execl("/proc/self/exe", self, "says", (char *)0);
            _exit(9);
        }
        waitpid(child, 0, 0);
    }
    return 0;
}

static int says(void) {
    sigset_t mask;
    struct sigaction action;
    sigprocmask(SIG_BLOCK, 0, &mask);
    sigaction(SIGTRAP, 0, &action);
    printf("blocked %d, ignored %d, another %d\n", sigismember(&mask, SIGTRAP), action.sa_handler == SIG_IGN,
           sigismember(&mask, SIGUSR1));
    return 0;
}

static void say(long value) {
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", value);
    if (write(1, text, length) < 0) return;
}

static int strict(void) {
    say(1);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
    say(fresh0(10));
    syscall(SYS_exit, 5);
    return 0;
}

static void *strictly(void *unused) {
    syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
    say(fresh1(10));
    say(fresh2(10));
    syscall(SYS_exit, 0);
    return unused;
}

static void *plainly(void *unused) {
    say(fresh3(10));
    return unused;
}

// One thread is under strict seccomp, another begins after it, and a function waits for its first call in both.
static int strict_thread(void) {
    pthread_t one, two;
    say(0);
    pthread_create(&one, 0, strictly, 0);
    pthread_join(one, 0);
    pthread_create(&two, 0, plainly, 0);
    pthread_join(two, 0);
    say(fresh4(3));
    return 7;
}

// A filter that kills on what the tool might call: a new thread under it still runs.
static int filtered(void) {
    static const int forbidden[] = {SYS_getpid, SYS_gettid, SYS_kill, SYS_shmat, SYS_sched_yield, SYS_openat};
    enum { N = sizeof forbidden / sizeof *forbidden };
    struct sock_filter filter[2 * N + 2];
    int at = 0;
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int k = 0; k < N; k++) {
        filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[k], 0, 1);
        filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    }
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {at, filter};
    pthread_t thread;
    say(0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    say(fresh5(9));
    for (int k = 0; k < 20; k++) {
        pthread_create(&thread, 0, plainly, 0);
        pthread_join(thread, 0);
    }
    return 4;
}

static volatile sig_atomic_t handled;

static void handler(int signal) {
    (void)signal;
    fresh[1 + handled % (FRESH_FUNCTIONS - 1)](2);
    handled++;
}

// Signals whose handlers ask, too, at any moment of a request.
static int interrupted(void) {
    struct itimerval timer = {{0, 150}, {0, 150}};
    signal(SIGALRM, handler);
    long sum = 0;
    for (int round = 0; round < 40; round++) {
        pid_t child = fork();
        if (!child) {
            setitimer(ITIMER_REAL, &timer, 0);
            for (int k = 0; k < FRESH_FUNCTIONS; k++) sum += fresh[k](100);
            while (handled < 3) pause();
            _exit(sum & 0x7f);
        }
        int status;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
        if (!WIFEXITED(status)) return 1;
        sum += WEXITSTATUS(status);
    }
    printf("%ld\n", sum);
    return 0;
}

static int background(void) {
    if (fork()) return 3;
    setsid();
    close(0), close(1), close(2);
    // Long enough that the run ends before; then it calls what it has not called before.
    for (int k = 0; k < 40; k++) nap(100000);
    FILE *file = fopen("survived", "w");
    if (!file) return 1;
    for (int k = 0; k < FRESH_FUNCTIONS; k++) fprintf(file, "%ld\n", fresh[k](5));
    fclose(file);
    return 0;
}

static void *executes(void *path) {
    execl(path, path, "says", (char *)0);
    return 0;
}

// Programs executed in all ways: by a vfork of the library, by a thread that is not the first, without success.
static int execs(char *self) {
    extern char **environ;
    pid_t child;
    int status;
    char *arguments[] = {self, "says", 0};
    posix_spawn(&child, "/proc/self/exe", 0, 0, arguments, environ);
    waitpid(child, &status, 0);
    child = fork();
    if (!child) {
        pthread_t thread;
        pthread_create(&thread, 0, executes, "/proc/self/exe");
        for (;;) pause();
    }
    waitpid(child, &status, 0);
    printf("%d\n", status);
    execl("/nonexistent", "x", (char *)0);
    printf("%d %ld\n", errno == ENOENT, fresh6(4));
    return 0;
}

// Many processes and threads, one after the other and at the same time.
static void *work(void *result) {
    *(long *)result = fresh7(1000);
    return 0;
}

static int many(void) {
    long sum = 0;
    for (int k = 0; k < 30; k++) {
        pid_t child = fork();
        if (!child) _exit(fresh[k % FRESH_FUNCTIONS](k) & 0x7f);
        int status;
        waitpid(child, &status, 0);
        sum += WEXITSTATUS(status);
    }
    pthread_t threads[40];
    long results[40];
    for (int k = 0; k < 40; k++) pthread_create(&threads[k], 0, work, &results[k]);
    for (int k = 0; k < 40; k++) pthread_join(threads[k], 0), sum += results[k];
    printf("%ld\n", sum);
    return 0;
}

// How many kilobytes of addresses the process has, once all of its functions have been called.
static int size(void) {
    for (int k = 0; k < FRESH_FUNCTIONS; k++) fresh[k](3);
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    long kilobytes = 0;
    while (status && fgets(line, sizeof line, status)) sscanf(line, "VmSize: %ld", &kilobytes);
    printf("%ld\n", kilobytes);
    return 0;
}

static int descriptors(void) {
    struct rlimit limit = {4, 4};
    setrlimit(RLIMIT_NOFILE, &limit);
    for (int fd = 3; fd < 64; fd++)
        if (fcntl(fd, F_GETFD) >= 0) printf("descriptor %d is open\n", fd);
    pid_t child = fork();
    if (!child) _exit(fresh3(6) & 1);
    int status;
    waitpid(child, &status, 0);
    printf("%d\n", status);
    return 0;
}

// The first thread ends, the others go on and ask.
static void *goes_on(void *unused) {
    nap(50000);
    say(fresh2(8));
    exit(2);
    return unused;
}

static int leaderless(void) {
    pthread_t thread;
    pthread_create(&thread, 0, goes_on, 0);
    pthread_exit(0);
}

// Writes into a function between two calls of it. It is alone on its page: `kept` begins the next one.
extern char constant[];
__attribute__((noinline, section(".text.pages"), aligned(4096))) static long rewritten(long times) {
    long s;
    __asm__ volatile(".globl constant\nconstant: mov $77, %%eax" : "=a"(s));
    for (long k = 0; k < times; k++) s += k * s;
    return s;
}
__attribute__((noinline, section(".text.pages"), aligned(4096))) static long kept(long times) {
    long s = times + 3;
    for (long k = 0; k < times; k++) s ^= k * s;
    return s + rewritten(times);
}
extern char another[];
__attribute__((noinline, section(".text.pages"), aligned(4096))) static long later(long times) {
    long s;
    __asm__ volatile(".globl another\nanother: mov $33, %%eax" : "=a"(s));
    for (long k = 0; k < times; k++) s += k ^ s;
    return s;
}
// Code behind the last one is on another page.
__attribute__((noinline, section(".text.pages"), aligned(4096), used)) static void end_of_pages(void) {}

static void rewrite(char *instruction, int value) {
    char *page = (char *)((uintptr_t)instruction & ~(uintptr_t)4095);
    if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC)) exit(1);
    memcpy(instruction + 1, &value, sizeof value);
    if (mprotect(page, 4096, PROT_READ | PROT_EXEC)) exit(1);
}

// The exit status of a child that calls both, and writes to a function before if `value` is not 0.
static int of_child(char *instruction, int value) {
    pid_t child = fork();
    if (!child) {
        if (value) rewrite(instruction, value);
        _exit((kept(10) * 3 + later(10) + fresh4(4)) & 127);
    }
    int status;
    waitpid(child, &status, 0);
    return status;
}

static int rewrites(void) {
    printf("%ld %ld\n", kept(10), later(10));
    printf("%d\n", of_child(another, 9));
    for (int value = 5; value < 7; value++) {
        rewrite(constant, value);
        printf("%ld %ld\n", kept(10), fresh3(value));
    }
    // What the first one was changed to stays when the other one is changed, here and in a child.
    printf("%d\n", of_child(another, 8));
    rewrite(another, 7);
    printf("%ld %ld %ld\n", rewritten(10), kept(10), later(10));
    printf("%d %d\n", of_child(constant, 0), of_child(constant, 3));
    return 0;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    setvbuf(stdout, 0, _IONBF, 0);
    if (!strcmp(what, "killed")) return killed();
    if (!strcmp(what, "stepped")) return stepped(argv + 2);
    if (!strcmp(what, "namespaces")) return namespaces();
    if (!strcmp(what, "limited")) return limited();
    if (!strcmp(what, "traps")) return traps(argv[0]);
    if (!strcmp(what, "says")) return says();
    if (!strcmp(what, "strict")) return strict();
    if (!strcmp(what, "strict-thread")) return strict_thread();
    if (!strcmp(what, "filtered")) return filtered();
    if (!strcmp(what, "interrupted")) return interrupted();
    if (!strcmp(what, "background")) return background();
    if (!strcmp(what, "execs")) return execs(argv[0]);
    if (!strcmp(what, "many")) return many();
    if (!strcmp(what, "size")) return size();
    if (!strcmp(what, "descriptors")) return descriptors();
    if (!strcmp(what, "leaderless")) return leaderless();
    if (!strcmp(what, "rewrites")) return rewrites();
    fprintf(stderr, "unknown: %s\n", what);
    return 64;
}
