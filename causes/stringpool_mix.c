/* String pool of a compiler front end: the mixing step, kept apart since
   the linker and the debugger use it too. */
#include <stdint.h>

uint64_t pool_mix(uint64_t h, uint64_t word);

uint64_t pool_mix(uint64_t h, uint64_t word)
{
    h ^= word;
    h *= 0xff51afd7ed558ccdull;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53ull;
    h ^= h >> 29;
    h *= 0x9e3779b97f4a7c15ull;
    h ^= h >> 32;
    return h;
}
