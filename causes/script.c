/* Runs the byte code of a small calculator language; programs are long
   straight sequences of operations without jumps. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#ifndef LEN
#define LEN (3 << 20)
#endif
#ifndef RUNS
#define RUNS 160
#endif
static uint32_t execute(const uint8_t *op, long n, uint32_t x)
{
    uint32_t y = 7, z = 1;
    for (long pc = 0; pc < n; pc++) {
        switch (op[pc]) {
        case 0: x += y; break;
        case 1: y ^= x; break;
        case 2: z += x; break;
        case 3: x = (x << 3) + z; break;
        case 4: y -= z; break;
        case 5: z = ~z; break;
        case 6: y = x + 3; break;
        default: x ^= z >> 3; break;
        }
    }
    return x + y + z;
}
int main(void)
{
    uint8_t *op = malloc(LEN);
    uint32_t s = 2463534242u, r = 0;
    if (!op)
        return 1;
    for (long i = 0; i < LEN; i++) {
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        op[i] = (s >> 9) & 7;
    }
    for (int k = 0; k < RUNS; k++)
        r += execute(op, LEN, (uint32_t)k);
    printf("%u\n", (unsigned)r);
    free(op);
    return 0;
}
