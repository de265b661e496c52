// Motion detector for a fixed camera: running background and motion mask.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T>
class Plane {
public:
    Plane(int width, int height) : width_(width), height_(height), data_(size_t(width) * height) {}

    int width() const { return width_; }
    int height() const { return height_; }
    T &at(int x, int y) { return data_[size_t(y) * width_ + x]; }
    const T &at(int x, int y) const { return data_[size_t(y) * width_ + x]; }
    T *row(int y) { return data_.data() + size_t(y) * width_; }
    const T *row(int y) const { return data_.data() + size_t(y) * width_; }

private:
    int width_, height_;
    std::vector<T> data_;
};

using Frame = Plane<uint8_t>;

class MotionDetector {
public:
    MotionDetector(const Frame &first, int threshold, int rate)
        : background_(first.width(), first.height()), mask_(first.width(), first.height()),
          threshold_(threshold << 7), rate_(rate)
    {
        for (int y = 0; y < first.height(); y++)
            for (int x = 0; x < first.width(); x++)
                background_.at(x, y) = static_cast<uint16_t>(first.at(x, y) << 7);
    }

    void update(const Frame &frame)
    {
        const int width = mask_.width(), height = mask_.height();
        const int threshold = threshold_, rate = rate_;
        int moving = 0;
        for (int y = 0; y < height; y++) {
            // The three planes never overlap; byte stores must not invalidate members.
            const uint8_t *__restrict in = frame.row(y);
            uint16_t *__restrict bg = background_.row(y);
            uint8_t *__restrict out = mask_.row(y);
            for (int x = 0; x < width; x++) {
                int current = in[x] << 7;
                int background = bg[x];
                int diff = current - background;
                bool moved = std::abs(diff) > threshold;
                out[x] = moved ? 255 : 0;
                bg[x] = static_cast<uint16_t>(background + ((diff * rate) >> 8));
                moving += moved;
            }
        }
        moving_ = moving;
        if (moving_ * 100L > long(mask_.width()) * mask_.height())
            alarms_++;
        total_ += moving_;
    }

    const Frame &mask() const { return mask_; }
    const Plane<uint16_t> &background() const { return background_; }
    long total() const { return total_; }
    int alarms() const { return alarms_; }

private:
    Plane<uint16_t> background_;
    Frame mask_;
    int threshold_, rate_;
    int moving_ = 0;
    int alarms_ = 0;
    long total_ = 0;
};

// A textured scene with sensor noise and a bright object on a closed path.
static std::vector<Frame> record(int count, int width, int height)
{
    static const int path[8][2] = {{2, 1}, {3, 1}, {4, 2}, {4, 3}, {3, 4}, {2, 4}, {1, 3}, {1, 2}};
    std::vector<Frame> video;
    uint32_t s = 99991;
    for (int f = 0; f < count; f++) {
        Frame frame(width, height);
        int ox = path[f % 8][0] * width / 6, oy = path[f % 8][1] * height / 6;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                s = s * 1664525u + 1013904223u;
                int v = 60 + ((x * 3) ^ (y * 5)) % 64 + int(s >> 28);
                if (std::abs(x - ox) < 40 && std::abs(y - oy) < 30)
                    v += 70;
                frame.at(x, y) = static_cast<uint8_t>(v);
            }
        }
        video.push_back(frame);
    }
    return video;
}

int main(int argc, char **argv)
{
    const int width = 640, height = 480;
    const std::vector<Frame> video = record(16, width, height);
    const int frames = argc > 1 ? std::atoi(argv[1]) : 900;
    std::vector<MotionDetector> detectors;
    detectors.emplace_back(video[0], 24, 12);
    detectors.emplace_back(video[0], 40, 5);

    for (int n = 0; n < frames; n++)
        for (MotionDetector &detector : detectors)
            detector.update(video[n % video.size()]);

    for (const MotionDetector &detector : detectors) {
        uint32_t hash = 2166136261u;
        long sum = 0;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                hash = (hash ^ detector.mask().at(x, y)) * 16777619u;
                sum += detector.background().at(x, y);
            }
        }
        std::printf("moving pixels %ld, alarms %d\n", detector.total(), detector.alarms());
        std::printf("mask hash %08x background sum %ld\n", hash, sum);
    }
    return 0;
}
