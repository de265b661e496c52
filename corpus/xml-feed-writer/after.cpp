// Writes a product catalogue as an XML feed, pretty printed, with escaping.
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

struct Product {
    int id;
    std::string title;
    std::string vendor;
    std::string description;
    std::vector<std::string> categories;
    int cents;
};

// Bytes that cannot be copied as they are.
struct EscapeTable {
    bool special[256] = {};
    constexpr EscapeTable() {
        for (int c = 0; c < 0x20; ++c) special[c] = true;
        for (unsigned char c : {'&', '<', '>', '"', '\''}) special[c] = true;
    }
};
static constexpr EscapeTable kEscape;

class XmlWriter {
public:
    explicit XmlWriter(std::string &out) : out_(out) {
        out_ += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    }

    void open(std::string_view tag) {
        indent();
        out_ += '<';
        out_ += tag;
        out_ += ">\n";
        ++depth_;
    }

    void open(std::string_view tag, std::string_view attr, std::string_view value) {
        indent();
        out_ += '<';
        out_ += tag;
        out_ += ' ';
        out_ += attr;
        out_ += "=\"";
        escape(value);
        out_ += "\">\n";
        ++depth_;
    }

    void close(std::string_view tag) {
        --depth_;
        indent();
        out_ += "</";
        out_ += tag;
        out_ += ">\n";
    }

    void leaf(std::string_view tag, std::string_view text) {
        indent();
        out_ += '<';
        out_ += tag;
        out_ += '>';
        escape(text);
        out_ += "</";
        out_ += tag;
        out_ += ">\n";
    }

private:
    void indent() { out_.append(2 * depth_, ' '); }

    void escape(std::string_view text) {
        const char *run = text.data(), *p = run, *end = run + text.size();
        while (p != end) {
            unsigned char c = *p;
            if (!kEscape.special[c]) {
                ++p;
                continue;
            }
            out_.append(run, p - run);
            switch (c) {
            case '&': out_ += "&amp;"; break;
            case '<': out_ += "&lt;"; break;
            case '>': out_ += "&gt;"; break;
            case '"': out_ += "&quot;"; break;
            case '\'': out_ += "&apos;"; break;
            default:
                out_ += "&#";
                out_ += std::to_string(static_cast<int>(c));
                out_ += ';';
            }
            run = ++p;
        }
        out_.append(run, end - run);
    }

    std::string &out_;
    size_t depth_ = 0;
};

static uint32_t seed = 20240611;
static uint32_t rnd(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<uint32_t>((static_cast<uint64_t>(seed) * n) >> 32);
}

static std::string sentence(int words) {
    static const char *const w[] = {"light", "steel", "R&D", "for", "the", "garden", "<new>", "handmade", "with",
                                    "adjustable", "handle", "and", "cover", "kid's", "outdoor", "waterproof",
                                    "12\"", "set", "of", "replacement", "batteries", "included", "premium", "blue"};
    std::string s;
    for (int i = 0; i < words; ++i) {
        if (i) s += (rnd(30) == 0) ? '\n' : ' ';
        s += w[rnd(24)];
    }
    return s;
}

static void writeProduct(XmlWriter &xml, const Product &p) {
    xml.open("item", "id", std::to_string(p.id));
    xml.leaf("title", p.title);
    xml.leaf("vendor", p.vendor);
    xml.leaf("description", p.description);
    xml.open("categories");
    for (const auto &c : p.categories)
        xml.leaf("category", c);
    xml.close("categories");
    xml.leaf("price", std::to_string(p.cents / 100) + "." + std::to_string(p.cents % 100 + 100).substr(1));
    xml.close("item");
}

int main() {
    std::vector<Product> products;
    for (int i = 0; i < 6000; ++i) {
        Product p{100000 + i, sentence(5), sentence(2), sentence(60 + rnd(60)), {}, 0};
        int n = 1 + rnd(4);
        for (int k = 0; k < n; ++k) p.categories.push_back(sentence(2));
        p.cents = 99 + rnd(90000);
        products.push_back(std::move(p));
    }

    uint64_t bytes = 0, sum = 0;
    std::string doc;
    for (int feed = 0; feed < 90; ++feed) {
        doc.clear();
        XmlWriter xml(doc);
        xml.open("feed", "shop", "shop & co " + std::to_string(feed));
        for (size_t i = feed % 3; i < products.size(); i += 2 + feed % 2)
            writeProduct(xml, products[i]);
        xml.close("feed");
        bytes += doc.size();
        for (size_t i = 0; i < doc.size(); i += 61)
            sum = sum * 31 + static_cast<unsigned char>(doc[i]);
        if (feed == 0) std::printf("%.160s\n", doc.c_str());
    }
    std::printf("bytes %llu\nchecksum %016llx\n", (unsigned long long)bytes, (unsigned long long)sum);
    return 0;
}
