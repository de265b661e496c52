/* Monte Carlo dice: eight independent multiplicative congruential streams
   are advanced together; their sums are compared in the end. */
#include <stdint.h>
#include <stdio.h>
#define DRAWS 2400000000ul
int main(void)
{
    uint64_t a = 1, b = 3, c = 5, d = 7, e = 9, f = 11, g = 13, h = 15;
    for (unsigned long n = 0; n < DRAWS; n++) {
        a *= 747796405u;
        b *= 277803737u;
        c *= 1103515245u;
        d *= 1664525u;
        e *= 22695477u;
        f *= 134775813u;
        g *= 214013u;
        h *= 69069u;
    }
    printf("%016llx\n", (unsigned long long)(a ^ b ^ c ^ d ^ e ^ f ^ g ^ h));
    return 0;
}
