/* Compiled logic simulation: the gates of a flattened netlist, folded into
   the signature registers of a self-test controller. */
#include <stdint.h>
#include <stdio.h>
#define K(n) ((uint64_t)((n) + 1) * 0x9e3779b97f4a7c15ull | 1ull << 62)
#define W(n) w[(n) * 37 % 997 + 16]
#define G1(n) a ^= W(n) & K(n); b += W((n) + 300) & K((n) + 5); \
    c ^= W((n) + 500) | K((n) + 9); d -= W((n) + 700) & K((n) + 13); \
    e += W((n) + 900) ^ K((n) + 17);
#define G8(n) G1(n) G1((n) + 1) G1((n) + 2) G1((n) + 3) \
    G1((n) + 4) G1((n) + 5) G1((n) + 6) G1((n) + 7)
#define G64(n) G8(n) G8((n) + 8) G8((n) + 16) G8((n) + 24) \
    G8((n) + 32) G8((n) + 40) G8((n) + 48) G8((n) + 56)
#define G512(n) G64(n) G64((n) + 64) G64((n) + 128) G64((n) + 192) \
    G64((n) + 256) G64((n) + 320) G64((n) + 384) G64((n) + 448)
enum { WIRES = 1024, CYCLES = 520000 };
static volatile uint64_t wire[WIRES];
static uint64_t __attribute__((noinline)) run(int cycles) {
    volatile uint64_t *w = wire; uint64_t a = 1, b = 2, c = 3, d = 4, e = 5;
    for (int t = 0; t < cycles; t++) {
        G512(0) G512(512) G512(1024) G512(1536)
        w[t % WIRES] = a + b + c + d + e;
    }
    return a ^ b ^ c ^ d ^ e;
}
int main(void) {
    uint32_t s = 8;
    for (int i = 0; i < WIRES; i++) wire[i] = s = s * 1664525u + 1013904223u;
    printf("netlist %016llx\n", (unsigned long long)run(CYCLES));
    return 0;
}
