// Two workers resolve request paths against a shared, immutable tree of routes
// (each worker holds the current configuration by shared pointer).
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

struct Node;
using NodePtr = std::shared_ptr<Node>;

struct Node {
    int key = 0;
    int weight = 0;
    NodePtr left, right;
};

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ (x >> 33);
}

static NodePtr build(const std::vector<int> &keys, size_t lo, size_t hi)
{
    if (lo >= hi)
        return nullptr;
    size_t mid = (lo + hi) / 2;
    auto n = std::make_shared<Node>();
    n->key = keys[mid];
    n->weight = int(mix(mid) % 1000);
    n->left = build(keys, lo, mid);
    n->right = build(keys, mid + 1, hi);
    return n;
}

// The node with the largest key not above the wanted one.
static NodePtr find_floor(NodePtr node, int key)
{
    NodePtr best;
    while (node) {
        if (node->key == key)
            return node;
        if (node->key < key) {
            best = node;
            node = node->right;
        } else {
            node = node->left;
        }
    }
    return best;
}

struct Tally {
    uint64_t requests = 0;
    uint64_t misses = 0;
    uint64_t weight = 0;
    uint64_t fold = 0;
};

static void worker(NodePtr root, int id, int requests, Tally *out)
{
    Tally t;
    for (int i = 0; i < requests; i++) {
        int key = int(mix(uint64_t(id) << 32 | unsigned(i)) % 100000);
        NodePtr n = find_floor(root, key);
        t.requests++;
        if (!n) {
            t.misses++;
            continue;
        }
        t.weight += uint64_t(n->weight);
        t.fold = t.fold * 31 + uint64_t(n->key);
    }
    *out = t;
}

int main()
{
    std::vector<int> keys;
    for (int k = 40; k < 100000; k += 1 + int(mix(uint64_t(k)) % 100))
        keys.push_back(k);
    NodePtr root = build(keys, 0, keys.size());
    Tally tally[2];
    std::vector<std::thread> pool;
    for (int id = 0; id < 2; id++)
        pool.emplace_back(worker, root, id, 4500000, &tally[id]);
    for (auto &t : pool)
        t.join();
    std::printf("routes %zu\n", keys.size());
    for (auto &t : tally)
        std::printf("requests %llu misses %llu weight %llu fold %016llx\n",
                    (unsigned long long)t.requests, (unsigned long long)t.misses,
                    (unsigned long long)t.weight, (unsigned long long)t.fold);
    return 0;
}
