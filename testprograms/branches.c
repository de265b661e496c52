// PROGRAM
//
// Conditional branches whose outcomes are known. `BRANCH name=.. misses=LOW..HIGH` marks the line of one: the program prints its
// name, how often it runs and how often its condition holds; a good predictor misses LOW to HIGH percent of it. Each body is an
// instruction that no compiler may execute where it is not reached, so that none makes a selection of the branch; a line of
// its own, so that none makes one function of two.

#include <stdio.h>

enum { N = 40000, NESTS = 4000 };

#define ACT __asm__ volatile("nop # %0" ::"i"(__LINE__) : "memory")

static unsigned char sorted[N], shuffled[N], alternating[N], rare[N];
static int constant[NESTS], uneven[NESTS];

__attribute__((noinline)) static void in_order(const unsigned char *data, long n) {
    for (long i = 0; i < n; i++) // LOOP name=in_order class=conditional-store
        if (data[i] >= 128) // BRANCH name=sorted misses=0..2
            ACT;
}

__attribute__((noinline)) static void by_chance(const unsigned char *data, long n) {
    for (long i = 0; i < n; i++) // LOOP name=by_chance class=conditional-store
        if (data[i] >= 128) // BRANCH name=shuffled misses=45..55
            ACT;
}

__attribute__((noinline)) static void in_turn(const unsigned char *data, long n) {
    for (long i = 0; i < n; i++) // LOOP name=in_turn class=conditional-store
        if (data[i] >= 128) // BRANCH name=alternating misses=0..1
            ACT;
}

__attribute__((noinline)) static void in_tenths(const unsigned char *data, long n) {
    for (long i = 0; i < n; i++) // LOOP name=in_tenths class=conditional-store
        if (data[i] >= 128) // BRANCH name=rare misses=8..16
            ACT;
}

// The exit is known when the number of trips is; it is met once in eight outcomes on average where that is chance.
__attribute__((noinline)) static void same_trips(const int *trips, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=same_trips class=nest-outer
        int k = trips[i];
        do { // LOOP name=same_trips_inner class=call
            ACT;
        } while (--k); // BRANCH name=constant misses=0..1
    }
}

__attribute__((noinline)) static void any_trips(const int *trips, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=any_trips class=nest-outer
        int k = trips[i];
        do { // LOOP name=any_trips_inner class=call
            ACT;
        } while (--k); // BRANCH name=uneven misses=7..20
    }
}

// The branch of a called function, which the one before it in the loop decides.
__attribute__((noinline)) static void called(int value) {
    if (value >= 128) // BRANCH name=correlated misses=0..2
        ACT;
}

__attribute__((noinline)) static void calls(const unsigned char *data, long n) {
    for (long i = 0; i < n; i++) { // LOOP name=calls class=call
        if (data[i] >= 128) // BRANCH name=deciding misses=45..55
            ACT;
        called(data[i]);
    }
}

static unsigned state = 1;

// G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8, 2003.
static unsigned chance(unsigned below) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (state >> 8) % below;
}

static void tell(const char *name, const unsigned char *data) {
    int holds = 0;
    for (int i = 0; i < N; i++)
        holds += data[i] >= 128;
    printf("%s %d %d\n", name, N, holds);
}

static void tell_trips(const char *name, const int *trips) {
    int sum = 0;
    for (int i = 0; i < NESTS; i++)
        sum += trips[i];
    printf("%s %d %d\n", name, sum, sum - NESTS);
}

int main(void) {
    for (int i = 0; i < N; i++) {
        sorted[i] = i < N / 3 ? 0 : 200;
        shuffled[i] = (unsigned char)chance(256);
        alternating[i] = i % 2 ? 0 : 255;
        rare[i] = chance(10) ? 0 : 255;
    }
    for (int i = 0; i < NESTS; i++) {
        constant[i] = 7;
        uneven[i] = 1 + (int)chance(15);
    }
    in_order(sorted, N);
    by_chance(shuffled, N);
    in_turn(alternating, N);
    in_tenths(rare, N);
    same_trips(constant, NESTS);
    any_trips(uneven, NESTS);
    calls(shuffled, N);
    tell("sorted", sorted);
    tell("shuffled", shuffled);
    tell("alternating", alternating);
    tell("rare", rare);
    tell_trips("constant", constant);
    tell_trips("uneven", uneven);
    tell("correlated", shuffled);
    tell("deciding", shuffled);
    return 0;
}
