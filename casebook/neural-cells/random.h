/* Random numbers depend on step and cell, not on the order of calls: they are the same in any order, and on any
 * thread. (A generator with a common state would not allow that.) */
#ifndef NEURAL_RANDOM_H
#define NEURAL_RANDOM_H

#include <math.h>
#include <stdint.h>

enum purpose { WANDER, OFFSPRING };

/* splitmix64: G. Steele, D. Lea, C. Flood, OOPSLA 2014. */
static inline uint64_t random_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A direction as in the article's program: a point of a cube around the origin, normalised to length 1. */
static inline void random_direction(uint64_t seed, int step, int cell, enum purpose purpose, double direction[3])
{
    uint64_t state = random_mix(random_mix(seed ^ (uint64_t)purpose << 62 ^ (uint64_t)step << 32) ^ (uint64_t)cell);
    double length = 0;
    for (int d = 0; d < 3; d++) {
        direction[d] = (double)(random_mix(state + (uint64_t)d) >> 11) * 0x1p-53 - 0.5;
        length += direction[d] * direction[d];
    }
    length = sqrt(length);
    for (int d = 0; d < 3; d++)
        direction[d] /= length;
}

#endif
