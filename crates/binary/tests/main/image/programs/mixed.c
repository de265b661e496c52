/* Inlining, a switch, a computed goto, a cold part and two static functions, for any C compiler. */
#include <stdio.h>
#include <stdlib.h>

#define N 256
static double a[N], b[N];

static inline double scale(double x) {
    return x * 1.5 + 2.0;
}

static inline double twice(double x) {
    double s = scale(x);
    return s + scale(s);
}

__attribute__((noinline)) double triad(double *restrict x, const double *restrict y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        x[i] = twice(y[i]) + 3.0 * x[i];
        sum += x[i];
    }
    return sum;
}

__attribute__((noinline, cold)) static void complain(int code) {
    fprintf(stderr, "code %d\n", code);
    abort();
}

__attribute__((noinline)) int choose(int kind, int value) {
    if (__builtin_expect(kind < 0, 0)) {
        fprintf(stderr, "negative kind %d\n", kind);
        complain(kind);
    }
    switch (kind) {
    case 0: return value + 1;
    case 1: return value * 3;
    case 2: return value - 7;
    case 3: return value ^ 0x55;
    case 4: return value << 2;
    case 5: return value / 3;
    default: return 0;
    }
}

__attribute__((noinline)) int interpret(const unsigned char *code) {
    static const void *const table[] = {&&stop, &&add, &&sub, &&mul};
    int acc = 1;
    goto *table[*code];
add:
    acc += 3;
    goto *table[*++code];
sub:
    acc -= 1;
    goto *table[*++code];
mul:
    acc *= 5;
    goto *table[*++code];
stop:
    return acc;
}

int main(void) {
    static const unsigned char program[] = {1, 3, 2, 1, 0};
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    printf("%g %d %d\n", triad(a, b, N), choose(3, 40), interpret(program));
    return 0;
}
