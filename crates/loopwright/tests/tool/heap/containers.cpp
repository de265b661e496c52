// Allocations of C++, of which most is inlined from headers.
#include <iostream>
#include <memory>
#include <vector>

struct Node {
    double value[8];
};

int main()
{
    std::vector<std::unique_ptr<Node>> nodes;
    nodes.reserve(700);
    for (int k = 0; k < 700; k++)
        nodes.push_back(std::make_unique<Node>());
    int *many = new int[1000];
    many[999] = 1;
    std::cout << nodes.size() + many[999] << "\n";
    delete[] many;
}
