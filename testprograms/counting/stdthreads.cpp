// PROGRAM flags=-pthread
//
// std::thread, each thread throws and catches in its loop while the others do. Usage: stdthreads [expect] [THREADS] [N].

#include "expect.h"
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

KERNEL long inner(long n) {
    KEEP;
    long sum = 0;
    for (long i = 0; i < n; i++) { // LOOP name=inner class=int-reduction
        KEEP;
        sum += i;
    }
    return sum;
}
KERNEL long troubled(long n) {
    KEEP;
    long sum = 0;
    for (long i = 0; i < n; i++) { // LOOP name=troubled class=call
        try {
            if (i % 97 == 96) throw 1;
            sum += inner(5);
        } catch (int) {
            sum += 3;
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long threads = argument(argc, argv, 1, 8), n = argument(argc, argv, 2, 200), thrown = n / 97;
    if (ask) {
        std::printf("function troubled calls=%ld\nloop troubled entries=%ld iterations=%ld\n", threads, threads, threads * n);
        std::printf("function inner calls=%ld\nloop inner entries=%ld iterations=%ld\n", threads * (n - thrown),
                    threads * (n - thrown), threads * (n - thrown) * 5);
        return 0;
    }
    std::atomic<long> total{0};
    std::vector<std::thread> all;
    for (long t = 0; t < threads; t++) all.emplace_back([&] { total += troubled(n); });
    for (auto &thread : all) thread.join();
    std::printf("total %ld\n", total.load());
    return 0;
}
