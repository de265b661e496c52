// Computes the same checksum at every level that this processor can run; C++ with the header for C.
#include <loopwright_kernels.h>

#include <cstdint>
#include <iostream>
#include <numeric>
#include <vector>

int main()
{
    std::vector<std::uint32_t> words(1 << 16);
    std::iota(words.begin(), words.end(), 1u);
    std::uint64_t expected = 0;
    if (lw_fletcher64(words.data(), words.size() * sizeof words[0], &expected) != LW_OK) {
        std::cerr << lw_last_error() << '\n';
        return 1;
    }
    for (std::uint32_t isa = LW_ISA_SCALAR; isa <= LW_ISA_AVX512; ++isa) {
        std::uint64_t found = 0;
        if (lw_fletcher64_with(isa, words.data(), words.size() * sizeof words[0], &found) != LW_OK) {
            std::cout << lw_isa_name(isa) << ": " << lw_last_error() << '\n';
            continue;
        }
        std::cout << lw_isa_name(isa) << ": " << std::hex << found << std::dec << '\n';
        if (found != expected)
            return 1;
    }
}
