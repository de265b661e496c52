/* Script engine: interprets a long straight-line bytecode produced by a
   template compiler. */
#include <stdint.h>
#include <stdio.h>
enum { CODE = 1 << 20, RUNS = 370 };
static uint8_t code[CODE];
static uint64_t var[16];
static uint64_t __attribute__((noinline)) interpret(const uint8_t *pc, const uint8_t *end, uint64_t acc) {
    for (; pc < end; pc++) {
        unsigned arg = *pc & 15;
        switch (*pc >> 5) {
        case 0: acc += var[arg]; break;
        case 1: acc ^= var[arg]; break;
        case 2: var[arg] = acc; break;
        case 3: acc = acc << 3 | acc >> 61; break;
        case 4: acc -= arg; break;
        case 5: acc = ~acc; var[0]++; break;
        case 6: var[arg] += 7; break;
        default: acc += acc >> 5; break;
        }
    }
    return acc;
}
int main(void) {
    uint64_t s = 2, acc = 1;
    for (int i = 0; i < CODE; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        code[i] = (uint8_t)(s >> 56);
    }
    for (int r = 0; r < RUNS; r++) acc = interpret(code, code + CODE, acc);
    printf("bytevm %016llx\n", (unsigned long long)acc);
    return 0;
}
