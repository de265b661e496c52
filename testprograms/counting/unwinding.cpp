// PROGRAM
//
// Exceptions thrown in, through and out of loops, landing pads and destructors inside them.
// Usage: unwinding [expect] [N].

#include "expect.h"
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

struct Guard {
    long *count;
    ~Guard() { ++*count; }
};

KERNEL long may_throw(long i) {
    KEEP;
    if (i % 50 == 49) throw std::runtime_error("fifty");
    return i & 3;
}
KERNEL long catches(long n, long *guards) {
    KEEP;
    long sum = 0;
    for (long i = 0; i < n; i++) { // LOOP name=catches class=call
        Guard guard{guards};
        try {
            sum += may_throw(i);
        } catch (const std::exception &) {
            sum += 1000;
        }
    }
    return sum;
}
// The exception leaves the loop; each iteration has a landing pad that destroys its guard.
KERNEL long passes(long n, long *guards) {
    KEEP;
    long sum = 0;
    std::string text = "text";
    for (long i = 0; i < n; i++) { // LOOP name=passes class=call
        Guard guard{guards};
        sum += may_throw(i) + static_cast<long>(text.size());
    }
    return sum;
}
KERNEL long retries(long m, long *guards) {
    KEEP;
    long sum = 0;
    for (long k = 0; k < m; k++) { // LOOP name=retries class=call
        try {
            sum += passes(40 + 20 * (k & 1), guards);
        } catch (...) {
            sum += 7;
        }
    }
    return sum;
}
KERNEL long rethrows(long m) {
    KEEP;
    long caught = 0;
    for (long k = 0; k < m; k++) { // LOOP name=rethrows class=call
        try {
            for (long i = 45; i < 45 + 10 * m; i++) { // LOOP name=rethrows_inner class=call
                try {
                    caught += may_throw(i);
                } catch (...) {
                    caught += 10;
                    throw;
                }
            }
        } catch (...) {
            caught += 100;
        }
    }
    return caught;
}
KERNEL long out_of_range(long n) {
    KEEP;
    std::vector<long> values;
    try {
        for (long i = 0; i < 2 * n; i++) { // LOOP name=out_of_range class=call
            values.push_back(i);
            if (i >= n) values.at(static_cast<size_t>(i) + 5) = 1;
        }
    } catch (const std::out_of_range &) {
    }
    return static_cast<long>(values.size());
}

// passes: even k runs 40 iterations to the end, odd k throws in pass 50; retries(m) has m/2 odd k.
// rethrows: passes 45..49, the last throws: 5 calls each.
static void expect(long n) {
    long m = n / 10, odd = m / 2, even = m - odd, through = 40 * even + 50 * odd;
    std::printf("function may_throw calls=%ld\n", n + through + 5 * m);
    std::printf("function catches calls=1\nloop catches entries=1 iterations=%ld\n", n);
    std::printf("function passes calls=%ld\nloop passes entries=%ld iterations=%ld max=50\n", m, m, through);
    std::printf("function retries calls=1\nloop retries entries=1 iterations=%ld\n", m);
    std::printf("function rethrows calls=1\nloop rethrows entries=1 iterations=%ld\n", m);
    std::printf("loop rethrows_inner entries=%ld iterations=%ld\n", m, 5 * m);
    std::printf("function out_of_range calls=1\nloop out_of_range entries=1 iterations=%ld\n", n + 1);
}

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long n = argument(argc, argv, 1, 100), guards = 0;
    if (ask) return expect(n), 0;
    long caught = catches(n, &guards), passed = retries(n / 10, &guards);
    std::printf("catches %ld retries %ld guards %ld\n", caught, passed, guards);
    std::printf("rethrows %ld\n", rethrows(n / 10));
    std::printf("out_of_range %ld\n", out_of_range(n));
    return 0;
}
