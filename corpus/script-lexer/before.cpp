// Front end of a small scripting language: lexer, block scopes, name resolution, cross-reference.
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

enum class Kind { Identifier, Keyword, Number, Punctuation, End };

struct Token {
    Kind kind;
    std::string text;
    int line;
};

class Lexer {
public:
    explicit Lexer(const std::string &source) : source_(source) {}

    std::vector<Token> tokenize()
    {
        std::vector<Token> tokens;
        while (true) {
            Token t = next();
            tokens.push_back(t);
            if (t.kind == Kind::End)
                return tokens;
        }
    }

private:
    Token next()
    {
        while (pos_ < source_.size() && std::isspace(static_cast<unsigned char>(source_[pos_]))) {
            if (source_[pos_] == '\n')
                line_++;
            pos_++;
        }
        if (pos_ >= source_.size())
            return {Kind::End, "", line_};
        std::string text;
        char c = source_[pos_];
        if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
            while (std::isalnum(static_cast<unsigned char>(source_[pos_])) || source_[pos_] == '_')
                text += source_[pos_++];
            return {is_keyword(text) ? Kind::Keyword : Kind::Identifier, text, line_};
        }
        if (std::isdigit(static_cast<unsigned char>(c))) {
            while (std::isdigit(static_cast<unsigned char>(source_[pos_])))
                text += source_[pos_++];
            return {Kind::Number, text, line_};
        }
        text = source_[pos_++];
        return {Kind::Punctuation, text, line_};
    }

    static bool is_keyword(const std::string &text)
    {
        return text == "let" || text == "while" || text == "if" || text == "print";
    }

    const std::string &source_;
    std::size_t pos_ = 0;
    int line_ = 1;
};

struct Symbol {
    int id;
    int declared_line;
    int uses;
};

class Resolver {
public:
    explicit Resolver(std::vector<Token> tokens) : tokens_(std::move(tokens)) { scopes_.emplace_back(); }

    void run()
    {
        while (peek(0).kind != Kind::End) {
            Token t = peek(0);
            if (t.kind == Kind::Keyword && t.text == "let") {
                declare(peek(1));
                index_ += 2;
            } else if (t.kind == Kind::Identifier) {
                use(t);
                index_++;
            } else if (t.kind == Kind::Number) {
                constants_ += std::stoul(t.text);
                index_++;
            } else {
                if (t.text == "{")
                    scopes_.emplace_back();
                else if (t.text == "}")
                    scopes_.pop_back();
                index_++;
            }
        }
    }

    void report() const
    {
        std::printf("symbols %zu uses %zu unresolved %zu constants %lu\n", symbols_.size(), uses_,
                    unresolved_, constants_);
        std::uint64_t h = 0;
        for (const Symbol &s : symbols_)
            h = h * 131 + static_cast<std::uint64_t>(s.declared_line) * 7 + static_cast<std::uint64_t>(s.uses);
        std::printf("cross-reference %016llx\n", static_cast<unsigned long long>(h));
    }

private:
    Token peek(std::size_t ahead) const
    {
        return index_ + ahead < tokens_.size() ? tokens_[index_ + ahead] : tokens_.back();
    }

    void declare(const Token &name)
    {
        int id = static_cast<int>(symbols_.size());
        symbols_.push_back({id, name.line, 0});
        scopes_.back()[name.text] = id;
    }

    void use(const Token &name)
    {
        uses_++;
        for (std::size_t i = scopes_.size(); i-- > 0;) {
            auto it = scopes_[i].find(name.text);
            if (it != scopes_[i].end()) {
                symbols_[static_cast<std::size_t>(it->second)].uses++;
                return;
            }
        }
        unresolved_++;
    }

    std::vector<Token> tokens_;
    std::size_t index_ = 0;
    std::vector<std::unordered_map<std::string, int>> scopes_;
    std::vector<Symbol> symbols_;
    std::size_t uses_ = 0, unresolved_ = 0;
    unsigned long constants_ = 0;
};

static std::string make_program(int functions)
{
    std::string s = "let configuration_of_the_session = 7;\nlet accumulated_total_value = 0;\n";
    unsigned r = 1;
    for (int f = 0; f < functions; f++) {
        s += "{\n  let current_element_position = " + std::to_string(f) + ";\n  while (current_element_position) {\n";
        for (int i = 0; i < 6; i++) {
            r = r * 1103515245u + 12345u;
            s += "    let intermediate_value_" + std::to_string(i) + " = current_element_position * "
                 + std::to_string((r >> 16) % 1000) + " + configuration_of_the_session;\n";
            s += "    { if (intermediate_value_" + std::to_string((r >> 20) % 8)
                 + ") print accumulated_total_value + x; }\n";
        }
        s += "  }\n}\n";
    }
    return s;
}

int main()
{
    std::string source = make_program(36000);
    Lexer lexer(source);
    std::vector<Token> tokens = lexer.tokenize();
    std::printf("bytes %zu tokens %zu\n", source.size(), tokens.size());
    Resolver resolver(tokens);
    resolver.run();
    resolver.report();
    return 0;
}
