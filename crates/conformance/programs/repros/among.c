#include <stdio.h>
long choose(long), sum(long, long (*)(long));
static long twice(long x) { return 2 * x; }
static long thrice(long x) { return 3 * x; }
int main(void) {
    long s = 0;
    for (long i = 0; i < 1000; i++)
        s += choose(i) ^ sum(i, i & 1 ? twice : thrice);
    printf("%lx\n", s);
}
