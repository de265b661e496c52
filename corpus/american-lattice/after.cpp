// Prices a book of American puts on binomial lattices (Cox, Ross and Rubinstein).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Option {
    double spot, strike, rate, volatility, expiry;
};

// Only one time level is alive at any moment: value holds it, and is overwritten from one level to the next.
// Node j of level t has the price spot * up^(2j - t), so one table of powers serves all levels.
class Lattice {
public:
    Lattice(const Option &o, int steps) : option(o), n(steps), even(steps + 1), odd(steps + 1), value(steps + 1)
    {
        const double dt = o.expiry / n;
        up = std::exp(o.volatility * std::sqrt(dt));
        down = 1.0 / up;
        probability = (std::exp(o.rate * dt) - down) / (up - down);
        discount = std::exp(-o.rate * dt);
    }

    void fill_prices()
    {
        // even[k] = spot * up^(2k - n), odd[k] = spot * up^(2k - n + 1)
        for (int k = 0; k <= n; ++k) {
            even[k] = option.spot * std::exp((2 * k - n) * std::log(up));
            odd[k] = even[k] * up;
        }
    }

    void roll_back()
    {
        double *v = value.data();
        const double pu = discount * probability, pd = discount * (1.0 - probability), strike = option.strike;
        for (int j = 0; j <= n; ++j)
            v[j] = std::max(strike - even[j], 0.0);
        for (int t = n - 1; t >= 0; --t) {
            // 2j - t = 2k - n or 2k - n + 1
            const double *s = ((n - t) % 2 ? odd.data() : even.data()) + (n - t) / 2;
            for (int j = 0; j <= t; ++j) {
                const double hold = pu * v[j + 1] + pd * v[j];
                const double exercise = strike - s[j];
                v[j] = hold > exercise ? hold : exercise;
            }
            if (t == 1)
                slope = (v[1] - v[0]) / (s[1] - s[0]);
        }
    }

    double price() const { return value[0]; }
    double delta() const { return slope; }

private:
    Option option;
    int n;
    double up, down, probability, discount, slope = 0.0;
    std::vector<double> even, odd, value;
};

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? std::atoi(argv[1]) : 1900;
    const double volatilities[] = {0.15, 0.2, 0.25, 0.3, 0.4, 0.5};
    const double expiries[] = {0.25, 0.5, 1.0, 2.0};
    double total = 0.0, hedge = 0.0;
    int count = 0;
    for (double volatility : volatilities)
        for (double expiry : expiries)
            for (int k = 0; k < 9; ++k) {
                const Option o{100.0, 80.0 + 5.0 * k, 0.03, volatility, expiry};
                Lattice lattice(o, steps);
                lattice.fill_prices();
                lattice.roll_back();
                total += lattice.price();
                hedge += lattice.delta();
                if (count++ % 50 == 3)
                    std::printf("strike %.0f volatility %.2f expiry %.2f: price %.8f delta %.8f\n", o.strike, volatility, expiry,
                                lattice.price(), lattice.delta());
            }
    std::printf("options %d value %.8f delta %.8f\n", count, total, hedge);
    return 0;
}
