// Writes a product catalogue as an XML feed, pretty printed, with escaping.
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

struct Product {
    int id;
    std::string title;
    std::string vendor;
    std::string description;
    std::vector<std::string> categories;
    int cents;
};

class XmlWriter {
public:
    explicit XmlWriter(std::ostream &os) : os_(os) {
        os_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    }

    void open(const std::string &tag) {
        indent();
        os_ << '<' << tag << ">\n";
        ++depth_;
    }

    void open(const std::string &tag, const std::string &attr, const std::string &value) {
        indent();
        os_ << '<' << tag << ' ' << attr << "=\"";
        escape(value);
        os_ << "\">\n";
        ++depth_;
    }

    void close(const std::string &tag) {
        --depth_;
        indent();
        os_ << "</" << tag << ">\n";
    }

    void leaf(const std::string &tag, const std::string &text) {
        indent();
        os_ << '<' << tag << '>';
        escape(text);
        os_ << "</" << tag << ">\n";
    }

private:
    void indent() {
        for (int i = 0; i < depth_; ++i)
            os_ << ' ' << ' ';
    }

    void escape(const std::string &text) {
        for (char c : text) {
            switch (c) {
            case '&': os_ << "&amp;"; break;
            case '<': os_ << "&lt;"; break;
            case '>': os_ << "&gt;"; break;
            case '"': os_ << "&quot;"; break;
            case '\'': os_ << "&apos;"; break;
            default:
                if (static_cast<unsigned char>(c) < 0x20)
                    os_ << "&#" << static_cast<int>(c) << ';';
                else
                    os_ << c;
            }
        }
    }

    std::ostream &os_;
    int depth_ = 0;
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
    for (int feed = 0; feed < 90; ++feed) {
        std::ostringstream out;
        XmlWriter xml(out);
        xml.open("feed", "shop", "shop & co " + std::to_string(feed));
        for (size_t i = feed % 3; i < products.size(); i += 2 + feed % 2)
            writeProduct(xml, products[i]);
        xml.close("feed");
        std::string doc = out.str();
        bytes += doc.size();
        for (size_t i = 0; i < doc.size(); i += 61)
            sum = sum * 31 + static_cast<unsigned char>(doc[i]);
        if (feed == 0) std::printf("%.160s\n", doc.c_str());
    }
    std::printf("bytes %llu\nchecksum %016llx\n", (unsigned long long)bytes, (unsigned long long)sum);
    return 0;
}
