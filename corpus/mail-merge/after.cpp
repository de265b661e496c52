// Mail merge: fills the {{placeholders}} of long statement templates with the
// values of each account.
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>

using Values = std::unordered_map<std::string, std::string>;

static uint32_t lcg = 99;
static uint32_t rnd()
{
    lcg = lcg * 22695477u + 1u;
    return lcg >> 12;
}

static std::string make_template(int sections)
{
    std::string t;
    for (int i = 0; i < sections; i++) {
        t += "<tr><td>Position ";
        t += std::to_string(i);
        t += " for {{name}}</td><td>{{currency}} {{amount_";
        t += std::to_string(i % 40);
        t += "}}</td><td>due {{date}}, see terms of {{city}}</td></tr>\n";
    }
    return t;
}

static Values make_account(int k)
{
    static const char *names[] = {"Ada", "Bartholomew", "Clementine", "Dov", "Esperanza"};
    static const char *cities[] = {"Rio de Janeiro", "Ulm", "Vancouver", "Aix"};
    Values v;
    v["name"] = std::string(names[rnd() % 5]) + " No. " + std::to_string(k);
    v["currency"] = k % 3 ? "EUR" : "Swiss francs";
    v["date"] = std::to_string(1 + rnd() % 28) + " June";
    v["city"] = cities[rnd() % 4];
    for (int i = 0; i < 40; i++)
        v["amount_" + std::to_string(i)] = std::to_string(rnd() % 1000000);
    return v;
}

// One pass over the template; every byte is copied once, into a new string.
static std::string fill(const std::string &tmpl, const Values &values)
{
    std::string out;
    out.reserve(tmpl.size() + tmpl.size() / 4);
    size_t copied = 0, pos = 0;
    while ((pos = tmpl.find("{{", pos)) != std::string::npos) {
        size_t end = tmpl.find("}}", pos);
        if (end == std::string::npos)
            break;
        auto it = values.find(tmpl.substr(pos + 2, end - pos - 2));
        if (it != values.end()) {
            out.append(tmpl, copied, pos - copied);
            out += it->second;
            copied = end + 2;
        }
        pos = end + 2;
    }
    out.append(tmpl, copied, std::string::npos);
    return out;
}

static uint64_t fingerprint(const std::string &s)
{
    uint64_t h = 1469598103934665603ULL;
    for (size_t i = 0; i < s.size(); i += 7)
        h = (h ^ static_cast<unsigned char>(s[i])) * 1099511628211ULL;
    return h;
}

int main()
{
    const std::string tmpl = make_template(2600);
    uint64_t all = 0;
    size_t bytes = 0;
    for (int k = 0; k < 36; k++) {
        Values v = make_account(k);
        std::string doc = fill(tmpl, v);
        bytes += doc.size();
        all = all * 31 + fingerprint(doc);
        if (k % 12 == 0)
            std::printf("%.*s", 120, doc.substr(doc.rfind("<tr>")).c_str());
    }
    std::printf("template %zu bytes %zu fingerprint %016llx\n", tmpl.size(), bytes,
                static_cast<unsigned long long>(all));
    return 0;
}
