// Templates, inlined members and exception handlers.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace grid {
template <typename T> class Field {
public:
    explicit Field(std::size_t n) : values(n) {}
    T at(std::size_t i) const {
        if (i >= values.size())
            throw std::out_of_range("outside of the field");
        return values[i];
    }
    T &operator[](std::size_t i) { return values[i]; }
    std::size_t size() const { return values.size(); }

private:
    std::vector<T> values;
};

template <typename T> __attribute__((noinline)) T total(const Field<T> &field, std::size_t n) {
    T sum{};
    for (std::size_t i = 0; i < n; ++i)
        sum += field.at(i);
    return sum;
}
} // namespace grid

__attribute__((noinline)) int guarded(int n) {
    try {
        grid::Field<float> field(16);
        for (std::size_t i = 0; i < field.size(); ++i)
            field[i] = static_cast<float>(i);
        return static_cast<int>(grid::total(field, static_cast<std::size_t>(n)));
    } catch (const std::out_of_range &problem) {
        std::puts(problem.what());
        return -1;
    } catch (const std::string &) {
        return -2;
    }
}

int main() {
    std::printf("%d %d\n", guarded(16), guarded(17));
}
