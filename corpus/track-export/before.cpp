// Export of recorded hiking tracks as GeoJSON: builds the text of every track
// collection and reports its size and a checksum, as the upload would.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iomanip>
#include <sstream>
#include <string>
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

std::string number(double value, int decimals) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(decimals) << value;
    return out.str();
}

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += c;
    }
    return result + "\"";
}

std::string position(const Fix& fix) {
    return "[" + number(fix.longitude, 6) + "," + number(fix.latitude, 6) + "," +
           number(fix.height, 1) + "]";
}

std::string feature(const Track& track) {
    std::string coordinates;
    std::string times;
    double climb = 0.0;
    for (std::size_t i = 0; i < track.fixes.size(); ++i) {
        const Fix& fix = track.fixes[i];
        if (i > 0) {
            coordinates += ",";
            times += ",";
            double rise = fix.height - track.fixes[i - 1].height;
            if (rise > 0)
                climb += rise;
        }
        coordinates += position(fix);
        times += std::to_string(fix.time);
    }
    return "{\"type\":\"Feature\",\"properties\":{\"name\":" + quoted(track.name) +
           ",\"user\":" + std::to_string(track.user) + ",\"climb\":" + number(climb, 2) +
           ",\"times\":[" + times + "]},\"geometry\":{\"type\":\"LineString\",\"coordinates\":[" +
           coordinates + "]}}";
}

std::string collection(const std::vector<Track>& tracks) {
    std::string text = "{\"type\":\"FeatureCollection\",\"features\":[";
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        if (i > 0)
            text += ",\n";
        text += feature(tracks[i]);
    }
    return text + "]}\n";
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
