// Event scheduler: walks the list of pending timers in the order of their
// deadlines and adds up how much delay the late ones have gathered.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
struct Timer {
    Timer *next;
    uint64_t due, period, owner;
    uint64_t pad[4];
};
template <class T> struct Chain {
    T *head;
    struct Iter {
        T *p;
        T &operator*() const { return *p; }
        Iter &operator++() { p = p->next; return *this; }
        bool operator!=(const Iter &o) const { return p != o.p; }
    };
    Iter begin() const { return {head}; }
    Iter end() const { return {nullptr}; }
};
template <class C, class F> static inline void each(const C &chain, F f) {
    for (auto &t : chain)
        f(t);
}
int main() {
    const uint32_t n = 1u << 21;
    Timer *pool = static_cast<Timer *>(calloc(n, sizeof(Timer)));
    uint32_t *order = static_cast<uint32_t *>(malloc(n * sizeof(uint32_t)));
    if (!pool || !order) return 1;
    uint64_t s = 88172645463325252ull;
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    for (uint32_t i = n - 1; i > 0; i--) {
        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
        std::swap(order[i], order[s % i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        Timer &t = pool[order[i]];
        t.next = i + 1 < n ? &pool[order[i + 1]] : nullptr;
        t.due = i * 3 + (s >> (i & 31)) % 7;
    }
    Chain<Timer> pending{&pool[order[0]]};
    uint64_t late = 0;
    for (int tick = 0; tick < 5; tick++)
        each(pending, [&](Timer &t) { late += t.due ^ tick; });
    std::printf("timerwheel %llu\n", (unsigned long long)late);
    free(order);
    free(pool);
    return 0;
}
