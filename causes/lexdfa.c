/* Intrusion detection: feeds a byte stream to the automaton of a large
   signature set and counts the accepting states met. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { STATES = 1 << 22, SYMS = 16, TEXT = 1 << 16, PASSES = 150 };
static uint8_t text[TEXT];
static uint64_t scan(const uint32_t *go, uint32_t *state, uint32_t salt) {
    uint32_t q = *state;
    uint64_t hits = 0;
    for (int i = 0; i < TEXT; i++) {
        q = go[(uint64_t)q * SYMS + (text[i] ^ salt)];
        hits += q >> 18;
    }
    *state = q;
    return hits;
}
int main(void) {
    uint32_t *go = malloc((size_t)STATES * SYMS * sizeof *go);
    if (!go) return 1;
    uint64_t s = 0x9e3779b97f4a7c15ull;
    for (size_t i = 0; i < (size_t)STATES * SYMS; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        go[i] = (uint32_t)(s >> 42);
    }
    for (int i = 0; i < TEXT; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        text[i] = (uint8_t)(s >> 60);
    }
    uint32_t q = 1;
    uint64_t hits = 0;
    for (int p = 0; p < PASSES; p++) hits += scan(go, &q, (uint32_t)p & 15);
    printf("lexdfa %llu %u\n", (unsigned long long)hits, q);
    free(go);
    return 0;
}
