// PROGRAM: fibers and coroutines of Boost, one of them left by an exception.
#include <boost/context/fiber.hpp>
#include <boost/coroutine/all.hpp>
#include <iostream>

using boost::context::fiber;
using numbers = boost::coroutines::asymmetric_coroutine<int>;

int main() {
    long sum = 0;
    fiber f{[&](fiber &&back) {
        for (int i = 0; i < 5000; i++) {
            sum += i;
            back = std::move(back).resume();
        }
        return std::move(back);
    }};
    for (int i = 0; i < 5000; i++)
        f = std::move(f).resume();
    numbers::pull_type pulled([](numbers::push_type &push) {
        for (int i = 0; i < 2000; i++)
            push(i * 3);
    });
    long total = 0;
    for (int value : pulled)
        total += value;
    numbers::pull_type thrown([](numbers::push_type &push) {
        push(1);
        throw 7;
    });
    try {
        thrown();
    } catch (int value) {
        std::cout << value << '\n';
    }
    std::cout << sum << ' ' << total << '\n';
}
