// Prices a book of American puts on binomial lattices (Cox, Ross and Rubinstein).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Option {
    double spot, strike, rate, volatility, expiry;
};

class Lattice {
public:
    Lattice(const Option &o, int steps) : option(o), n(steps), stock(steps + 1), value(steps + 1)
    {
        const double dt = o.expiry / n;
        up = std::exp(o.volatility * std::sqrt(dt));
        down = 1.0 / up;
        probability = (std::exp(o.rate * dt) - down) / (up - down);
        discount = std::exp(-o.rate * dt);
        for (int t = 0; t <= n; ++t) {
            stock[t].resize(t + 1);
            value[t].resize(t + 1);
        }
    }

    void fill_prices()
    {
        stock[0][0] = option.spot;
        for (int t = 1; t <= n; ++t) {
            stock[t][0] = stock[t - 1][0] * down;
            for (int j = 1; j <= t; ++j)
                stock[t][j] = stock[t - 1][j - 1] * up;
        }
    }

    void roll_back()
    {
        for (int j = 0; j <= n; ++j)
            value[n][j] = std::max(option.strike - stock[n][j], 0.0);
        for (int t = n - 1; t >= 0; --t)
            for (int j = 0; j <= t; ++j) {
                const double hold = discount * (probability * value[t + 1][j + 1] + (1.0 - probability) * value[t + 1][j]);
                const double exercise = option.strike - stock[t][j];
                value[t][j] = std::max(hold, exercise);
            }
    }

    double price() const { return value[0][0]; }
    double delta() const { return (value[1][1] - value[1][0]) / (stock[1][1] - stock[1][0]); }

private:
    Option option;
    int n;
    double up, down, probability, discount;
    std::vector<std::vector<double>> stock, value;
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
