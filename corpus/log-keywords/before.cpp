// Alert scanner: counts, for a list of watch phrases, the log lines that
// contain each of them, and the lines that raise an alert of any kind.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

static uint64_t s0 = 1, s1 = 2;
static uint32_t rnd()
{
    uint64_t a = s0, b = s1;
    s0 = b;
    a ^= a << 23;
    s1 = a ^ b ^ (a >> 18) ^ (b >> 5);
    return uint32_t((s1 + b) >> 20);
}

static std::vector<std::string> make_phrases()
{
    const char *subject[] = {"disk", "memory", "socket", "thread", "lease", "session", "cache", "journal"};
    const char *verb[] = {" failure", " exhausted", " timeout", " corrupt", " overrun", " lost", " stale"};
    std::vector<std::string> out;
    for (auto s : subject)
        for (auto v : verb)
            out.push_back(std::string(s) + v);
    out.push_back("panic");
    out.push_back("out of memory");
    out.push_back("permission denied");
    return out;
}

static std::string make_line(const std::vector<std::string> &phrases)
{
    const char *noise[] = {"service", "started", "the", "request", "cache", "disk", "completed", "session",
                           "journal", "memory", "in", "worker", "thread", "for", "user", "lease"};
    std::string s = "2024-05-" + std::to_string(10 + rnd() % 20) + " host" + std::to_string(rnd() % 64) + ":";
    int words = 8 + rnd() % 8;
    for (int i = 0; i < words; i++) {
        s += ' ';
        s += noise[rnd() % 16];
        if (rnd() % 40 == 0)
            s += ' ' + phrases[rnd() % phrases.size()];
    }
    return s;
}

class Scanner {
public:
    explicit Scanner(const std::vector<std::string> &phrases)
        : phrases_(phrases), hits_(phrases.size()) {}

    bool feed(const std::string &line)
    {
        bool any = false;
        for (size_t k = 0; k < phrases_.size(); k++) {
            if (line.find(phrases_[k]) != std::string::npos) {
                hits_[k]++;
                any = true;
            }
        }
        return any;
    }

    const std::vector<long> &hits() const { return hits_; }

private:
    std::vector<std::string> phrases_;
    std::vector<long> hits_;
};

int main()
{
    auto phrases = make_phrases();
    Scanner scanner(phrases);
    long alerts = 0, bytes = 0;
    for (int i = 0; i < 480000; i++) {
        std::string line = make_line(phrases);
        bytes += long(line.size());
        alerts += scanner.feed(line);
    }
    std::printf("bytes %ld alerts %ld\n", bytes, alerts);
    for (size_t k = 0; k < phrases.size(); k++)
        std::printf("%s: %ld\n", phrases[k].c_str(), scanner.hits()[k]);
    return 0;
}
