// Inverted index over a document collection, with conjunctive keyword queries.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

class SearchIndex {
public:
    void add(uint32_t document, const std::string &text)
    {
        std::string word;
        for (char c : text) {
            if (c >= 'A' && c <= 'Z')
                word += static_cast<char>(c - 'A' + 'a');
            else if (c >= 'a' && c <= 'z')
                word += c;
            else if (!word.empty()) {
                postings_[word].insert(document);
                word.clear();
            }
        }
        if (!word.empty())
            postings_[word].insert(document);
    }

    std::vector<uint32_t> find_all(const std::vector<std::string> &words) const
    {
        std::vector<uint32_t> result;
        for (size_t i = 0; i < words.size(); i++) {
            auto it = postings_.find(words[i]);
            if (it == postings_.end())
                return {};
            if (i == 0) {
                result.assign(it->second.begin(), it->second.end());
            } else {
                std::vector<uint32_t> both;
                std::set_intersection(result.begin(), result.end(), it->second.begin(),
                                      it->second.end(), std::back_inserter(both));
                result.swap(both);
            }
        }
        return result;
    }

    size_t words() const { return postings_.size(); }

    size_t total_postings() const
    {
        size_t n = 0;
        for (const auto &entry : postings_)
            n += entry.second.size();
        return n;
    }

private:
    std::map<std::string, std::set<uint32_t>> postings_;
};

static std::vector<std::string> make_vocabulary(size_t size, std::mt19937 &gen)
{
    static const char *parts[] = {"ka", "ro", "mi", "ten", "sol", "va", "ner", "li", "do", "pra",
                                  "gu", "est", "on", "ari", "che", "bel"};
    std::set<std::string> seen;
    std::vector<std::string> vocabulary;
    while (vocabulary.size() < size) {
        std::string w;
        unsigned n = 2 + gen() % 4;
        for (unsigned i = 0; i < n; i++)
            w += parts[gen() % 16];
        if (seen.insert(w).second)
            vocabulary.push_back(w);
    }
    return vocabulary;
}

static std::string make_document(const std::vector<std::string> &vocabulary, size_t words,
                                 std::mt19937 &gen)
{
    std::string text;
    for (size_t i = 0; i < words; i++) {
        double u = (gen() >> 5) / 134217728.0;
        size_t k = static_cast<size_t>(u * u * u * static_cast<double>(vocabulary.size()));
        std::string w = vocabulary[k];
        if (i % 12 == 0)
            w[0] = static_cast<char>(w[0] - 'a' + 'A');
        text += w;
        text += i % 12 == 11 ? ". " : " ";
    }
    return text;
}

int main()
{
    std::mt19937 gen(20240311);
    const uint32_t documents = 5000;
    std::vector<std::string> vocabulary = make_vocabulary(20000, gen);
    std::vector<std::string> collection;
    for (uint32_t d = 0; d < documents; d++)
        collection.push_back(make_document(vocabulary, 160, gen));

    SearchIndex index;
    for (uint32_t d = 0; d < documents; d++)
        index.add(d, collection[d]);

    size_t hits = 0;
    uint64_t sum = 0;
    for (int q = 0; q < 2000; q++) {
        std::vector<std::string> query;
        for (int i = 0; i < 2; i++)
            query.push_back(vocabulary[gen() % 300]);
        std::vector<uint32_t> found = index.find_all(query);
        hits += found.size();
        for (uint32_t d : found)
            sum = sum * 31 + d;
    }
    std::printf("words %zu postings %zu\n", index.words(), index.total_postings());
    std::printf("hits %zu checksum %016llx\n", hits, static_cast<unsigned long long>(sum));
    return 0;
}
