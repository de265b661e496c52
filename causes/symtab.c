/* Linker-like symbol resolution: each symbol refers to the next one to be
   resolved by its key; keys are looked up in a chained hash table. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define BITS 22
#define N (1u << BITS)
#define LOOKUPS 5000000
struct sym { uint32_t next; uint32_t key; uint32_t ref; uint32_t size; uint64_t addr[6]; };
int same_symbol(const struct sym *s, uint32_t key);
int main(void)
{
    struct sym *s = malloc(sizeof *s * (size_t)N);
    uint32_t *head = malloc(sizeof *head * (size_t)N);
    if (!s || !head)
        return 1;
    for (uint32_t i = 0; i < N; i++)
        head[i] = N;
    for (uint32_t i = 0; i < N; i++) {
        s[i].key = i * 2654435769u;
        s[i].ref = ((i * 2891336453u + 907633385u) & (N - 1)) * 2654435769u;
        s[i].size = i & 63;
        uint32_t h = (s[i].key ^ (s[i].key >> 15)) * 2246822519u >> (32 - BITS);
        s[i].next = head[h];
        head[h] = i;
    }
    uint64_t total = 0;
    uint32_t key = 0;
    for (long n = 0; n < LOOKUPS; n++) {
        uint32_t h = (key ^ (key >> 15)) * 2246822519u >> (32 - BITS);
        uint32_t i = head[h];
        while (!same_symbol(&s[i], key))
            i = s[i].next;
        total += s[i].size;
        key = s[i].ref;
    }
    printf("%llu\n", (unsigned long long)total);
    return 0;
}
