// Common code of the counting programs: kernels that every compiler keeps as they are called, and the form in which
// they state the expected counts.
//
// `PROGRAM expect ARGS..` prints one line per fact about the run `PROGRAM ARGS..` and runs nothing. What is known
// only after a run (how often a timer fired) the run itself prints to standard error, with `expect` before it.
//
//   function NAME calls=C f64=N f32=N f80=N          FLOP; LOW..HIGH where compilers may speculate
//   loop NAME entries=E iterations=N zero=Z breaks=B min=A max=B loaded=L stored=S
//        the loop marked NAME, as written; Z of the E entries had no iteration (a compiler may not enter at all);
//        B entries ended by a break in the middle of an iteration, which does not count where the compiler has made that
//        test the first of the loop; bytes are those of a compiler that keeps scalars in registers and moves each
//        element once
//   threads NAME f64=A,B,C                           the parts of the threads, ascending
#ifndef EXPECT_H
#define EXPECT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#define EXTERN extern "C"
#else
#define EXTERN extern
#endif

// Never inlined, cloned or specialised: calls can be counted by name.
#ifdef __clang__
#define KERNEL EXTERN __attribute__((noinline))
#else
#define KERNEL EXTERN __attribute__((noipa))
#endif

// First statement of a kernel: no compiler may assume that a second call would do the same.
#define KEEP __asm__ volatile("" ::: "memory")

// The value may have changed: stops tail calls turning into loops, and constants from spreading.
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))

// Whether the program must print its expectations; removes the word from the arguments.
static inline int asked(int *argc, char **argv) {
    if (*argc < 2 || strcmp(argv[1], "expect") != 0) return 0;
    memmove(argv + 1, argv + 2, sizeof *argv * (size_t)(*argc - 1));
    --*argc;
    return 1;
}

// The argument at this place, or the usual value.
static inline long argument(int argc, char **argv, int at, long usual) {
    return argc > at ? strtol(argv[at], 0, 10) : usual;
}

#endif
