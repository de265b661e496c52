/* Runs every scenario of the executable from known states and writes what is left in registers and memory.
 *
 *     program FILE [threads=N] [tick=MICROSECONDS] [dump=SCENARIO]
 *
 * FILE gets one line per scenario and run (those of other threads go to FILE.1, FILE.2 ..). A scenario that crashes or does not end gets a line that says so, and the next
 * one runs. With a tick, a timer's signal handler runs scenarios in the midst of others. With dump the registers of one
 * scenario are written in full. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum { DATA_BYTES = 4096, RUNS = 3, MOST_THREADS = 8 };
/* Far from everything that the kernel places by itself. */
#define STACKS 0x100000000000UL
#define STACK_BYTES 0x40000UL

struct state {
    uint64_t gpr[16];
    uint64_t flags;
    uint64_t unused[7];
    uint64_t masks[8];
    uint8_t vectors[32][64];
    uint8_t legacy[512];
} __attribute__((aligned(64)));

/* The generator's description of a scenario. */
struct scenario {
    void *entry;
    uint64_t data;     /* address, or offset from the thread pointer */
    uint64_t seed;
    uint32_t gpr;      /* registers that count at its end */
    uint32_t vectors;  /* likewise */
    uint32_t rest;     /* 1: flags, 2: masks, 4: x87 and MXCSR */
    uint32_t plain;    /* a signal handler may run it */
    uint32_t number;
    uint32_t direction; /* the direction flag may be set at its start */
};
extern const struct scenario scenarios[];
extern const uint32_t scenario_count, data_is_thread_local, level_of_enter;
extern void enter(struct state *state, void *entry, char *stack);
extern __thread char entered[];
#define ENTERED_BYTES (20 * 8)

static const char *output_name;
static int dump = -1, threads = 1, tick;
static __thread sigjmp_buf back;
static __thread volatile sig_atomic_t running, thread_number;
static volatile uint64_t handled;

static uint64_t next(uint64_t *seed) {
    uint64_t z = (*seed += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static uint64_t digest(uint64_t h, const void *bytes, size_t n) {
    for (size_t i = 0; i + 8 <= n; i += 8) {
        uint64_t word;
        memcpy(&word, (const char *)bytes + i, 8);
        h = (h ^ word) * 0x100000001b3;
        h ^= h >> 29;
    }
    return h;
}

static char *data_of(const struct scenario *s) {
    uint64_t base = 0;
    if (data_is_thread_local)
        __asm__("mov %%fs:0, %0" : "=r"(base));
    return (char *)(base + s->data);
}

/* The state that run `run` of a scenario begins with. */
static void prepare(const struct scenario *s, int run, struct state *state) {
    uint64_t seed = s->seed * 31 + run;
    memset(state, 0, sizeof *state);
    for (int i = 0; i < 16; i++) {
        uint64_t value = next(&seed);
        switch (value >> 61) {
        case 0: value &= 0xff; break;
        case 1: value = (uint64_t)(int64_t)(int8_t)value; break;
        case 2: value &= 0xffffffff; break;
        }
        state->gpr[i] = value;
    }
    uint64_t flags = next(&seed);
    state->flags = 0x202 | (flags & 0x8c5) | (s->direction ? flags & 0x400 : 0);
    for (int i = 0; i < 8; i++)
        state->masks[i] = next(&seed);
    for (size_t i = 0; i < sizeof state->vectors; i += 8) {
        uint64_t word = next(&seed);
        memcpy((char *)state->vectors + i, &word, 8);
    }
    uint16_t control = 0x37f;
    uint32_t mxcsr = 0x1f80 | (s->direction ? next(&seed) & 0xe040 : 0);
    memcpy(state->legacy, &control, 2);
    memcpy(state->legacy + 24, &mxcsr, 4);
    state->legacy[4] = s->direction ? next(&seed) : 0;
    for (int i = 0; i < 8; i++) {
        uint64_t mantissa = next(&seed) | 1ULL << 63;
        uint16_t exponent = 0x3fff + (next(&seed) & 0x3f);
        memcpy(state->legacy + 32 + 16 * i, &mantissa, 8);
        memcpy(state->legacy + 40 + 16 * i, &exponent, 2);
    }
    for (int i = 0; i < 16; i++)
        memcpy(state->legacy + 160 + 16 * i, state->vectors[i], 16);
    char *data = data_of(s);
    for (int i = 0; i < DATA_BYTES; i += 8) {
        uint64_t word = next(&seed);
        memcpy(data + i, &word, 8);
    }
}

/* Clears state that no program can rely on. */
static void settle(const struct scenario *s, struct state *state) {
    state->flags &= ~0x10UL; /* the adjust flag, which many instructions leave undefined */
    if (!(s->rest & 1))
        state->flags = 0;
    for (int i = 0; i < 16; i++)
        if (!(s->gpr >> i & 1))
            state->gpr[i] = 0;
    if (level_of_enter == 0) {
        memset(state->vectors, 0, sizeof state->vectors);
        for (int i = 0; i < 16; i++)
            memcpy(state->vectors[i], state->legacy + 160 + 16 * i, 16);
    } else if (level_of_enter == 1) {
        for (int i = 0; i < 32; i++)
            memset(state->vectors[i] + (i < 16 ? 32 : 0), 0, i < 16 ? 32 : 64);
    }
    for (int i = 0; i < 32; i++)
        if (!(s->vectors >> i & 1))
            memset(state->vectors[i], 0, 64);
    if (!(s->rest & 2) || level_of_enter < 2)
        memset(state->masks, 0, sizeof state->masks);
    /* The last x87 instruction's address and operand belong to the processor's exception reports. */
    memset(state->legacy + 6, 0, 18);
    memset(state->legacy + 160, 0, 352);
    if (!(s->rest & 4))
        memset(state->legacy, 0, sizeof state->legacy);
}

static char *stack_of(int thread, int nested) {
    return (char *)STACKS + (2 * thread + nested + 1) * STACK_BYTES - 0x1000;
}

static int say(char *text, const char *what, int k, int run, uint64_t value) {
    return sprintf(text, "%s%u.%d %s %llx\n", "s", scenarios[k].number, run, what, (unsigned long long)value);
}

static char *show(char *at, const char *name, const void *bytes, int n) {
    at += sprintf(at, "    %s ", name);
    for (int i = n - 1; i >= 0; i--)
        at += sprintf(at, "%02x", ((const uint8_t *)bytes)[i]);
    at += sprintf(at, "\n");
    return at;
}

static char *run_one(char *at, int k, int run) {
    const struct scenario *s = &scenarios[k];
    struct state state;
    prepare(s, run, &state);
    running = 1;
    int why = sigsetjmp(back, 1);
    if (!why) {
        enter(&state, s->entry, stack_of(thread_number, 0));
        running = 0;
    } else {
        running = 0;
        uint32_t mxcsr = 0x1f80;
        __asm__ volatile("fninit; ldmxcsr %0; cld" : : "m"(mxcsr));
        at += say(at, why == SIGPROF ? "does not end" : "crashed with signal", k, run, why);
        return at;
    }
    settle(s, &state);
    uint64_t stack = state.gpr[4];
    state.gpr[4] = (uint64_t)(stack_of(thread_number, 0) - (char *)stack);
    at += sprintf(at, "s%u.%d g=%016llx f=%llx v=%08llx k=%08llx x=%08llx d=%016llx\n", s->number, run,
                  (unsigned long long)digest(1, state.gpr, sizeof state.gpr), (unsigned long long)state.flags,
                  (unsigned long long)digest(1, state.vectors, sizeof state.vectors) >> 32,
                  (unsigned long long)digest(1, state.masks, sizeof state.masks) >> 32,
                  (unsigned long long)digest(1, state.legacy, sizeof state.legacy) >> 32,
                  (unsigned long long)digest(1, data_of(s), DATA_BYTES));
    if (dump != (int)s->number)
        return at;
    static const char *names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                  "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    char name[24];
    for (int i = 0; i < 16; i++)
        at = show(at, names[i], &state.gpr[i], 8);
    for (int i = 0; i < 32; i++)
        sprintf(name, "zmm%d", i), at = show(at, name, state.vectors[i], 64);
    for (int i = 0; i < 8; i++)
        sprintf(name, "k%d", i), at = show(at, name, &state.masks[i], 8);
    for (int i = 0; i < 8; i++)
        sprintf(name, "st%d", i), at = show(at, name, state.legacy + 32 + 16 * i, 10);
    at = show(at, "x87", state.legacy, 6);
    at = show(at, "mxcsr", state.legacy + 24, 4);
    for (int i = 0; i < DATA_BYTES; i += 8)
        sprintf(name, "data+%d", i), at = show(at, name, data_of(s) + i, 8);
    return at;
}

static void on_fault(int signal) {
    if (running)
        siglongjmp(back, signal);
    _exit(100 + signal);
}

/* Runs a scenario during another one and leaves all state as it was. */
static void on_tick(int signal) {
    (void)signal;
    int kept_errno = errno;
    int was_running = running;
    if (was_running == 1) {
        char kept[ENTERED_BYTES], data[DATA_BYTES];
        struct state state;
        uint64_t n = handled++;
        const struct scenario *s = &scenarios[n % scenario_count];
        if (s->plain) {
            running = 2;
            memcpy(kept, entered, sizeof kept);
            memcpy(data, data_of(s), sizeof data);
            prepare(s, n & 1, &state);
            enter(&state, s->entry, stack_of(thread_number, 1));
            memcpy(data_of(s), data, sizeof data);
            memcpy(entered, kept, sizeof kept);
            running = 1;
        }
    }
    errno = kept_errno;
}

static void *run_all(void *number) {
    thread_number = (int)(intptr_t)number;
    static __thread char alternate[1 << 16];
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    sigaltstack(&stack, 0);
    char *text = malloc(dump >= 0 ? 1 << 18 : 1 << 10), name[4096];
    snprintf(name, sizeof name, thread_number ? "%s.%d" : "%s", output_name, (int)thread_number);
    int output = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (output < 0)
        _exit(5);
    for (uint32_t k = 0; k < scenario_count; k++)
        for (int run = 0; run < RUNS; run++) {
            /* At once, so that the progress of a program that dies is known. */
            long bytes = run_one(text, k, run) - text;
            if (write(output, text, bytes) != bytes)
                _exit(6);
        }
    close(output);
    return 0;
}

int main(int count, char **arguments) {
    for (int i = 2; i < count; i++)
        if (sscanf(arguments[i], "threads=%d", &threads) + sscanf(arguments[i], "tick=%d", &tick) +
                sscanf(arguments[i], "dump=%d", &dump) == -3)
            return 2;
    if (count < 2 || threads < 1 || threads > MOST_THREADS)
        return 2;
    output_name = arguments[1];
    size_t bytes = (2 * threads + 1) * STACK_BYTES;
    if (mmap((void *)STACKS, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)STACKS)
        return 3;
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER};
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i], &action, 0);
    /* A scenario takes a few milliseconds of CPU time. */
    struct itimerval limit = {{1, 0}, {1, 0}};
    sigaction(SIGPROF, &action, 0);
    setitimer(ITIMER_PROF, &limit, 0);
    if (tick) {
        struct sigaction often = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
        struct itimerval every = {{0, tick}, {0, tick}};
        sigaction(SIGALRM, &often, 0);
        setitimer(ITIMER_REAL, &every, 0);
    }
    pthread_t started[MOST_THREADS];
    for (int i = 1; i < threads; i++)
        if (pthread_create(&started[i], 0, run_all, (void *)(intptr_t)i))
            return 4;
    run_all(0);
    for (int i = 1; i < threads; i++)
        pthread_join(started[i], 0);
    return 0;
}
