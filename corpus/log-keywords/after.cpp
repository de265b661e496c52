// Alert scanner: counts, for a list of watch phrases, the log lines that
// contain each of them, and the lines that raise an alert of any kind.
#include <array>
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

// Aho-Corasick automaton with a dense transition table: one step per byte,
// whatever the number of phrases.
class Scanner {
public:
    explicit Scanner(const std::vector<std::string> &phrases)
        : hits_(phrases.size()), seen_(phrases.size(), -1)
    {
        add_state();
        for (size_t k = 0; k < phrases.size(); k++) {
            int s = 0;
            for (unsigned char c : phrases[k]) {
                if (next_[s][c] < 0) {
                    int t = add_state();
                    next_[s][c] = t;
                }
                s = next_[s][c];
            }
            out_[s].push_back(int(k));
        }
        std::vector<int> fail(next_.size(), 0), queue;
        for (int &t : next_[0]) {
            if (t < 0)
                t = 0;
            else
                queue.push_back(t);
        }
        for (size_t q = 0; q < queue.size(); q++) {
            int s = queue[q];
            for (int k : out_[fail[s]])
                out_[s].push_back(k);
            for (int c = 0; c < 256; c++) {
                int t = next_[s][c], f = next_[fail[s]][c];
                if (t < 0) {
                    next_[s][c] = f;
                } else {
                    fail[t] = f;
                    queue.push_back(t);
                }
            }
        }
        for (size_t s = 0; s < out_.size(); s++)
            accept_.push_back(!out_[s].empty());
    }

    bool feed(const std::string &line)
    {
        bool any = false;
        int s = 0;
        line_++;
        for (unsigned char c : line) {
            s = next_[s][c];
            if (accept_[s]) {
                any = true;
                for (int k : out_[s]) {
                    if (seen_[k] != line_) {
                        seen_[k] = line_;
                        hits_[k]++;
                    }
                }
            }
        }
        return any;
    }

    const std::vector<long> &hits() const { return hits_; }

private:
    int add_state()
    {
        std::array<int, 256> row;
        row.fill(-1);
        next_.push_back(row);
        out_.emplace_back();
        return int(next_.size()) - 1;
    }

    std::vector<std::array<int, 256>> next_;
    std::vector<std::vector<int>> out_;
    std::vector<char> accept_;
    std::vector<long> hits_;
    std::vector<long> seen_;
    long line_ = 0;
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
