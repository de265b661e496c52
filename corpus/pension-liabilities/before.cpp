// Present value of a pension scheme: every member's expected payments, year by
// year, with mortality, escalation, a spouse's pension, and a market yield curve.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kLastAge = 120;

class LifeTable {
public:
    LifeTable(double a, double b, double c) : alive_(kLastAge + 2) {
        alive_[0] = 1.0;
        for (int x = 0; x <= kLastAge; ++x)
            alive_[x + 1] = alive_[x] * std::exp(-(a + b * std::exp(c * x)));
    }
    double survival(int age, int years) const {
        if (age + years > kLastAge)
            return 0.0;
        return alive_[age + years] / alive_[age];
    }

private:
    std::vector<double> alive_;
};

class YieldCurve {
public:
    YieldCurve(std::vector<double> terms, std::vector<double> rates)
        : terms_(std::move(terms)), rates_(std::move(rates)) {}

    double rate(double term) const {
        auto it = std::upper_bound(terms_.begin(), terms_.end(), term);
        if (it == terms_.begin())
            return rates_.front();
        if (it == terms_.end())
            return rates_.back();
        std::size_t k = static_cast<std::size_t>(it - terms_.begin());
        double w = (term - terms_[k - 1]) / (terms_[k] - terms_[k - 1]);
        return rates_[k - 1] + w * (rates_[k] - rates_[k - 1]);
    }
    double discount(double term) const { return std::pow(1.0 + rate(term), -term); }

private:
    std::vector<double> terms_, rates_;
};

struct Member {
    int age;
    int spouse_age;      // 0: no spouse
    int retirement_age;
    int section;         // decides the escalation
    double pension;
    double spouse_share;
};

struct Basis {
    LifeTable member, spouse;
    YieldCurve curve;
    std::vector<double> escalation;   // by section
};

double present_value(const Member &m, const Basis &basis) {
    double value = 0.0;
    for (int t = 0; m.age + t <= kLastAge || (m.spouse_age > 0 && m.spouse_age + t <= kLastAge); ++t) {
        double amount = m.pension * std::pow(1.0 + basis.escalation[m.section], t);
        double alive = basis.member.survival(m.age, t);
        double expected = 0.0;
        if (m.age + t >= m.retirement_age)
            expected += alive;
        if (m.spouse_age > 0)
            expected += m.spouse_share * (1.0 - alive) * basis.spouse.survival(m.spouse_age, t);
        value += amount * expected * basis.curve.discount(t + 0.5);
    }
    return value;
}

std::vector<Member> make_members(int count) {
    std::vector<Member> members;
    std::uint32_t state = 12345;
    auto draw = [&state](std::uint32_t n) {
        state = state * 1664525u + 1013904223u;
        return static_cast<int>((state >> 8) % n);
    };
    for (int i = 0; i < count; ++i) {
        Member m;
        m.age = 22 + draw(70);
        m.spouse_age = draw(10) < 6 ? std::max(20, m.age - 8 + draw(14)) : 0;
        m.retirement_age = 60 + draw(8);
        m.section = draw(4);
        m.pension = 2000.0 + draw(48000);
        m.spouse_share = draw(2) ? 0.5 : 0.6;
        members.push_back(m);
    }
    return members;
}

int main() {
    Basis basis{LifeTable(2.2e-4, 2.7e-6, 0.124), LifeTable(2.0e-4, 1.6e-6, 0.126),
                YieldCurve({1, 2, 3, 5, 7, 10, 15, 20, 30, 50},
                           {0.031, 0.029, 0.028, 0.0275, 0.028, 0.029, 0.0315, 0.033, 0.034, 0.0335}),
                {0.0, 0.015, 0.021, 0.025}};
    std::vector<Member> members = make_members(500000);

    double total[4] = {0, 0, 0, 0}, largest = 0.0;
    std::size_t who = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        double v = present_value(members[i], basis);
        total[members[i].section] += v;
        if (v > largest) {
            largest = v;
            who = i;
        }
    }
    for (int s = 0; s < 4; ++s)
        std::printf("section %d: liability %.6f million\n", s, total[s] / 1e6);
    std::printf("largest: member %zu, %.4f\n", who, largest);
    return 0;
}
