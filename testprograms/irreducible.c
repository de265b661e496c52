// PROGRAM
//
// Cycles that are not natural loops: a goto into the middle of a loop, and Duff's device. They must be reported
// as irreducible regions (where the compiler leaves them so), never lost and never called loops.

#include <stdio.h>

__attribute__((noinline)) static int two_entries(int n, int enter_in_the_middle) {
    int s = 0, i = 0;
    if (enter_in_the_middle) goto middle;
top:
    s += i * 3;
    if (s > 1 << 28) s >>= 1;
middle:
    s ^= i;
    __asm__ volatile("" : "+r"(s)); // keeps the compiler from copying the halves apart
    i++;
    if (i < n) goto top;
    return s;
}

__attribute__((noinline)) static void duffs_device(volatile short *to, const short *from, int count) {
    int rounds = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to = *from++; // fall through
    case 7: *to = *from++;      // fall through
    case 6: *to = *from++;      // fall through
    case 5: *to = *from++;      // fall through
    case 4: *to = *from++;      // fall through
    case 3: *to = *from++;      // fall through
    case 2: *to = *from++;      // fall through
    case 1: *to = *from++;
        } while (--rounds > 0);
    }
}

int main(void) {
    volatile int n = 1000;
    short from[1000];
    for (int i = 0; i < 1000; i++) from[i] = (short)i; // LOOP name=fill class=int-map
    volatile short to = 0;
    duffs_device(&to, from, n - 3);
    printf("two_entries %d\nduffs_device %d\n", two_entries(n, n > 5), to);
    return 0;
}
