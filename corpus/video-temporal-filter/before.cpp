// Temporal noise reduction and grading of an 8-bit grey video.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

class Stage {
public:
    virtual ~Stage() = default;
    virtual void process(const uint8_t *frame) = 0;
    virtual const uint8_t *result() const = 0;
};

class VideoFilter : public Stage {
public:
    VideoFilter(int w, int h, int strength, int gain, int lift)
        : width(w), height(h), strength(strength), gain(gain), lift(lift),
          history(w * h), output(w * h) {
        hist = history.data();
        out = output.data();
    }

    void process(const uint8_t *frame) override {
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int i = y * width + x;
                int old = hist[i];
                int mixed = (old * strength + frame[i] * (256 - strength) + 128) >> 8;
                hist[i] = (uint8_t)mixed;
                int v = ((mixed * gain) >> 7) + lift;
                if (v < 0) v = 0;
                if (v > 255) v = 255;
                out[i] = (uint8_t)v;
            }
        }
    }

    const uint8_t *result() const override { return out; }

private:
    int width, height;
    int strength, gain, lift;
    std::vector<uint8_t> history, output;
    uint8_t *hist, *out;
};

int main() {
    const int w = 960, h = 540, frames = 700;
    std::vector<uint8_t> scene((size_t)w * h + 4096);
    uint32_t s = 2024;
    for (size_t i = 0; i < scene.size(); i++) {
        s = s * 1103515245u + 12345u;
        scene[i] = (uint8_t)((i / 7 + (s >> 27)) & 255);
    }

    std::vector<std::unique_ptr<Stage>> chain;
    chain.push_back(std::make_unique<VideoFilter>(w, h, 180, 150, -12));
    chain.push_back(std::make_unique<VideoFilter>(w, h, 60, 120, 5));
    unsigned long long check = 0;
    for (int f = 0; f < frames; f++) {
        // the camera pans over the scene
        const uint8_t *frame = scene.data() + (f * 3) % 4096;
        for (auto &stage : chain) {
            stage->process(frame);
            frame = stage->result();
        }
        for (int i = 0; i < w * h; i += 997) check = check * 31 + frame[i];
    }
    const uint8_t *last = chain.back()->result();
    printf("checksum %llu\n", check);
    unsigned long sum = 0;
    for (int i = 0; i < w * h; i++) sum += last[i];
    printf("last frame sum %lu, centre %d\n", sum, last[w * h / 2]);
}
