// Scanner pipeline: pages come in landscape and are turned by 90 degrees
// before they are stored, with a checksum per page.
#include <cstdint>
#include <cstdio>
#include <vector>

struct Page {
    int width = 0, height = 0;
    std::vector<uint32_t> rgba;
    uint32_t at(int x, int y) const { return rgba[size_t(y) * width + x]; }
    uint32_t& at(int x, int y) { return rgba[size_t(y) * width + x]; }
};

Page makePage(int width, int height) {
    Page p;
    p.width = width;
    p.height = height;
    p.rgba.resize(size_t(width) * height);
    uint32_t s = 5;
    for (auto& v : p.rgba) {
        s = s * 1664525u + 1013904223u;
        v = 0xff000000u | (s >> 8);
    }
    return p;
}

void stamp(Page& p, int number) {
    for (int y = 40; y < 72; ++y)
        for (int x = 40; x < 200; ++x) p.at(x, y) = 0xff000000u + 977u * number + x * y;
}

void turnRight(const Page& in, Page& out) {
    for (int y = 0; y < in.height; ++y)
        for (int x = 0; x < in.width; ++x) out.at(in.height - 1 - y, x) = in.at(x, y);
}

uint32_t checksum(const Page& p) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < p.rgba.size(); i += 101) {
        a += p.rgba[i];
        b += a;
    }
    return a ^ (b << 7);
}

int main() {
    const int width = 3508, height = 2480, pages = 30;
    Page in = makePage(width, height);
    Page out;
    out.width = height;
    out.height = width;
    out.rgba.resize(in.rgba.size());
    for (int n = 0; n < pages; ++n) {
        stamp(in, n);
        turnRight(in, out);
        std::printf("page %d: %08x corner %08x\n", n, checksum(out), out.at(height - 1 - 41, 43));
    }
    return 0;
}
