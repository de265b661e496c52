/* What every program of the casebook shares: its arguments, its clock, its memory and the lines that it prints.
 *
 * A program prints lines `name = value`. The harness reads
 *   seconds       time of the part that is compared, without set-up
 *   flop, bytes   useful work by formula, the same for all stages of a case: what the problem needs, not what a stage does
 *   working_set   bytes that are touched again and again
 * and every other line as a result that is compared with the first stage's, as case.toml says.
 */
#ifndef LOOPWRIGHT_CASE_H
#define LOOPWRIGHT_CASE_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The number after `name` on the command line, else `usual`. */
static inline long case_option(int argc, char **argv, const char *name, long usual)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name))
            continue;
        char *end = NULL;
        errno = 0;
        long value = i + 1 < argc ? strtol(argv[i + 1], &end, 10) : 0;
        if (!end || end == argv[i + 1] || *end || errno || value < 0) {
            fprintf(stderr, "%s: %s needs a number from 0 on\n", argv[0], name);
            exit(2);
        }
        return value;
    }
    return usual;
}

/* Seconds since some moment in the past. */
static inline double case_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Zeroed memory that begins a cache line; the pages are touched. */
static inline void *case_memory(size_t count, size_t size)
{
    size_t bytes = (count * size + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes ? bytes : 64);
    if (!memory || (count && size > SIZE_MAX / 2 / count)) {
        fprintf(stderr, "no memory for %zu elements of %zu bytes\n", count, size);
        exit(1);
    }
    memset(memory, 0, bytes);
    return memory;
}

/* A number in [0, 1), the same sequence everywhere (xorshift64*: S. Vigna, ACM TOMS 42, 2016). */
static inline double case_random(uint64_t *state)
{
    uint64_t x = *state ? *state : 0x9e3779b97f4a7c15u;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (double)((x * 0x2545f4914f6cdd1du) >> 11) * 0x1p-53;
}

/* A line of results; %.17g gives back the very same double. */
static inline void case_print(const char *name, double value)
{
    printf("%s = %.17g\n", name, value);
}

#endif
