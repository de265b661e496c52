// Loan office: runs applications through a grown decision tree of eight
// questions and adds up the limits that the leaves grant.
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {
constexpr int kDepth = 8, kApplicants = 65536, kYears = 1200;

struct Node {
    uint32_t question, limit, grant;
    uint32_t visits;
    Node *below, *above;
};

struct Application {
    uint8_t answer[kDepth];
};

Node *grow(std::vector<Node> &pool, uint32_t depth)
{
    pool.push_back({});
    Node *n = &pool.back();
    uint32_t id = static_cast<uint32_t>(pool.size());
    n->question = depth;
    n->limit = 120 + id * 7 % 16;
    n->grant = id * 100;
    if (depth < kDepth) {
        n->below = grow(pool, depth + 1);
        n->above = grow(pool, depth + 1);
    }
    return n;
}

inline const Node *decide(Node *n, const Application &a)
{
    while (n->below) {
        if (a.answer[n->question] < n->limit) {
            n = n->below;
        } else {
            n->visits++;
            n = n->above;
        }
    }
    return n;
}
} // namespace

int main()
{
    std::vector<Node> pool;
    pool.reserve(1 << (kDepth + 1));
    Node *root = grow(pool, 0);
    std::vector<Application> file(kApplicants);
    uint64_t seed = 88172645463325252ull, granted = 0;
    for (Application &a : file)
        for (uint8_t &q : a.answer) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            q = static_cast<uint8_t>(seed >> 24);
        }
    for (int y = 0; y < kYears; y++)
        for (const Application &a : file)
            granted += decide(root, a)->grant;
    printf("granted %llu, root %u\n", (unsigned long long)granted,
           root->visits);
    return 0;
}
