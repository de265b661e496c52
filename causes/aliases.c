/* Mail system: resolves aliases through the bucket table and the entries of
   a large directory until the hop budget of the queue is used up. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { BUCKETS = 1 << 24, ENTRIES = 1 << 22 };
struct entry { uint64_t target, owner, flags, stamp; };
static uint64_t resolve(const uint32_t *bucket, const struct entry *dir,
                        uint64_t key, uint64_t hops) {
    while (hops) {
        uint64_t h = key * 0x9e3779b97f4a7c15ull;
        key = dir[bucket[h >> 40]].target + hops;
        hops--;
    }
    return key;
}
int main(void) {
    uint32_t *bucket = malloc(BUCKETS * sizeof *bucket);
    struct entry *dir = malloc(ENTRIES * sizeof *dir);
    if (!bucket || !dir) return 1;
    uint64_t s = 42;
    for (size_t i = 0; i < BUCKETS; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        bucket[i] = (uint32_t)(s >> 42);
    }
    for (size_t i = 0; i < ENTRIES; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        dir[i].target = s ^ (s >> 29);
        dir[i].owner = dir[i].flags = dir[i].stamp = i;
    }
    printf("aliases %016llx\n",
           (unsigned long long)resolve(bucket, dir, 99, 6000000));
    free(bucket);
    free(dir);
    return 0;
}
