/* The beginning of every generated program in C. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long u64;
typedef unsigned u32;
typedef unsigned short u16;
typedef unsigned char u8;
typedef long i64;
typedef int i32;
typedef u32 v4 __attribute__((vector_size(16)));
struct pair { u64 a, b; };
struct mixed { double d; u64 u; };
struct big { u64 w[4]; };

#define NOINLINE __attribute__((noinline))
#define ODD_MS __attribute__((ms_abi))
#ifdef __clang__
#define NOCLONE __attribute__((noinline))
#define ODD_MOST __attribute__((preserve_most))
#define ODD_ALL __attribute__((preserve_all))
#define ODD_REG __attribute__((regcall))
#else
#define NOCLONE __attribute__((noinline, noclone))
#define ODD_MOST
#define ODD_ALL
#define ODD_REG
#endif

/* Each thread has its own, so that threads behave alike. */
static __thread u64 mem[256];
static __thread double real[128];

static inline u64 bits(double d) { u64 u; memcpy(&u, &d, 8); return d == d ? u : 1; }
static inline u64 of_pair(struct pair p) { return p.a * 3 + p.b; }
static inline u64 of_mixed(struct mixed m) { return bits(m.d) ^ m.u; }
static inline u64 of_big(struct big b) { return b.w[0] + 3 * b.w[1] + 5 * b.w[2] + 7 * b.w[3]; }
static inline u64 of_vector(v4 v) { return v[0] + 3ul * v[1] + 5ul * v[2] + 7ul * v[3]; }
