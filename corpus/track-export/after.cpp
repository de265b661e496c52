// Export of recorded hiking tracks as GeoJSON: builds the text of every track
// collection and reports its size and a checksum, as the upload would.
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct Fix {
    double longitude;
    double latitude;
    double height;
    long time;
};

struct Track {
    std::string name;
    int user;
    std::vector<Fix> fixes;
};

class Random {
public:
    double uniform() {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(state_ >> 11) / 9007199254740992.0;
    }

private:
    std::uint64_t state_ = 77;
};

std::vector<Track> record_tracks(int count, int fixes) {
    static const char* places[] = {"Alp \"Sura\"", "Lake round", "North\\South ridge", "Forest loop",
                                   "Old mill"};
    Random random;
    std::vector<Track> tracks;
    for (int t = 0; t < count; ++t) {
        Track track;
        track.name = std::string(places[t % 5]) + " " + std::to_string(t);
        track.user = static_cast<int>(random.uniform() * 9000);
        double longitude = 7.0 + 3.0 * random.uniform();
        double latitude = 46.0 + 1.5 * random.uniform();
        double height = 400.0 + 1200.0 * random.uniform();
        double course = 6.28 * random.uniform();
        long time = 1700000000L + 86400L * t;
        for (int i = 0; i < fixes; ++i) {
            course += 0.4 * (random.uniform() - 0.5);
            longitude += 0.00012 * std::cos(course);
            latitude += 0.00009 * std::sin(course);
            height += 4.0 * (random.uniform() - 0.49);
            time += 5 + static_cast<long>(6 * random.uniform());
            track.fixes.push_back({longitude, latitude, height, time});
        }
        tracks.push_back(track);
    }
    return tracks;
}

// Text under construction: numbers are written straight into it.
class Writer {
public:
    explicit Writer(std::size_t expected) { text_.reserve(expected); }

    void raw(std::string_view piece) { text_.append(piece); }
    void raw(char c) { text_.push_back(c); }

    void number(double value, int decimals) {
        char buffer[400];
        auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed,
                                 decimals);
        text_.append(buffer, end.ptr);
    }

    void number(long value) {
        char buffer[24];
        auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
        text_.append(buffer, end.ptr);
    }

    void quoted(std::string_view piece) {
        raw('"');
        for (char c : piece) {
            if (c == '"' || c == '\\')
                raw('\\');
            raw(c);
        }
        raw('"');
    }

    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

void feature(Writer& out, const Track& track) {
    double climb = 0.0;
    for (std::size_t i = 1; i < track.fixes.size(); ++i) {
        double rise = track.fixes[i].height - track.fixes[i - 1].height;
        if (rise > 0)
            climb += rise;
    }
    out.raw("{\"type\":\"Feature\",\"properties\":{\"name\":");
    out.quoted(track.name);
    out.raw(",\"user\":");
    out.number(static_cast<long>(track.user));
    out.raw(",\"climb\":");
    out.number(climb, 2);
    out.raw(",\"times\":[");
    for (std::size_t i = 0; i < track.fixes.size(); ++i) {
        if (i > 0)
            out.raw(',');
        out.number(track.fixes[i].time);
    }
    out.raw("]},\"geometry\":{\"type\":\"LineString\",\"coordinates\":[");
    for (std::size_t i = 0; i < track.fixes.size(); ++i) {
        const Fix& fix = track.fixes[i];
        out.raw(i > 0 ? std::string_view(",[") : std::string_view("["));
        out.number(fix.longitude, 6);
        out.raw(',');
        out.number(fix.latitude, 6);
        out.raw(',');
        out.number(fix.height, 1);
        out.raw(']');
    }
    out.raw("]}}");
}

std::string collection(const std::vector<Track>& tracks) {
    std::size_t fixes = 0;
    for (const Track& track : tracks)
        fixes += track.fixes.size();
    Writer out(fixes * 44 + tracks.size() * 200 + 100);
    out.raw("{\"type\":\"FeatureCollection\",\"features\":[");
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        if (i > 0)
            out.raw(",\n");
        feature(out, tracks[i]);
    }
    out.raw("]}\n");
    return out.take();
}

std::uint64_t checksum(const std::string& text) {
    std::uint64_t hash = 1469598103934665603ULL;
    for (unsigned char c : text)
        hash = (hash ^ c) * 1099511628211ULL;
    return hash;
}

int main() {
    const std::vector<Track> tracks = record_tracks(260, 2600);
    const std::string text = collection(tracks);
    std::printf("tracks %zu bytes %zu\n", tracks.size(), text.size());
    std::printf("checksum %016llx\n", static_cast<unsigned long long>(checksum(text)));
    std::printf("begins %s\n", text.substr(0, 110).c_str());
    std::printf("ends %s", text.substr(text.size() - 60).c_str());
    return 0;
}
