// Develops 12-bit sensor frames into 8-bit preview frames with a linear
// exposure curve, a highlight knee and per-camera black level.
#include <cstdint>
#include <cstdio>
#include <vector>

class Developer {
public:
    Developer(int width, int height) : width_(width), height_(height), pixels_(size_t(width) * height) {
        out_ = pixels_.data();
    }
    Developer(Developer&&) = default;
    void setExposure(int gain) { gain_ = gain; }
    void setBlack(int black) { black_ = black; }
    void setKnee(int knee, int slope) { knee_ = knee; kneeSlope_ = slope; }
    void develop(const uint16_t* raw, int rawStride);
    const uint8_t* pixels() const { return out_; }

private:
    int width_, height_;
    int gain_ = 256, black_ = 0, knee_ = 200, kneeSlope_ = 64;
    std::vector<uint8_t> pixels_;
    uint8_t* out_;
};

void Developer::develop(const uint16_t* raw, int rawStride) {
    for (int y = 0; y < height_; ++y) {
        for (int x = 0; x < width_; ++x) {
            int v = raw[y * rawStride + x] - black_;
            if (v < 0) v = 0;
            v = (v * gain_) >> 12;
            int over = v - knee_;
            if (over < 0) over = 0;
            v = v - over + ((over * kneeSlope_) >> 8);
            if (v > 255) v = 255;
            out_[y * width_ + x] = static_cast<uint8_t>(v);
        }
    }
}

struct Camera {
    Developer developer;
    std::vector<uint16_t> raw;
    int stride;
};

int main() {
    const int width = 1276, height = 720, stride = 1280, frames = 500;
    std::vector<Camera> rig;
    rig.reserve(3);
    uint32_t s = 99;
    for (int c = 0; c < 3; ++c) {
        rig.push_back({Developer(width, height), std::vector<uint16_t>(size_t(stride) * height), stride});
        for (auto& p : rig.back().raw) {
            s = s * 1664525u + 1013904223u;
            p = static_cast<uint16_t>(s >> 20);
        }
    }
    uint64_t check = 0;
    for (int f = 0; f < frames; ++f) {
        Camera& cam = rig[f % rig.size()];
        cam.developer.setExposure(200 + f % 150);
        cam.developer.setBlack(60 + f % 8);
        cam.developer.setKnee(180 + f % 20, 48 + f % 40);
        cam.developer.develop(cam.raw.data(), cam.stride);
        const uint8_t* p = cam.developer.pixels();
        for (size_t i = f % 61; i < size_t(width) * height; i += 61) check = check * 31 + p[i];
        if (f % 100 == 99) std::printf("frame %d check %llu\n", f + 1, static_cast<unsigned long long>(check));
    }
    for (const Camera& cam : rig) {
        const uint8_t* last = cam.developer.pixels() + 719 * width;
        std::printf("last row: %d %d %d\n", last[0], last[5], last[1275]);
    }
    return 0;
}
