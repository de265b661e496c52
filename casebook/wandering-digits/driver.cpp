// Solves diffusion problems by conjugate gradients, each with a fixed number of iterations, and prints answers with all digits.
#include "vectors.h"
#include "case.h"

#include <algorithm>
#include <cmath>

// b - A x in the maximum norm, over that of b.
static double residual(const Vector &conductivity, const Vector &x, const Vector &b, int side)
{
    Vector product(b.size());
    apply(product, conductivity, x, side);
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < b.size(); i++) {
        worst = std::max(worst, std::fabs(b[i] - product[i]));
        largest = std::max(largest, std::fabs(b[i]));
    }
    return worst / largest;
}

// Solves A x = b from x = 0; the square of what is left of b.
static double gradients(const Vector &conductivity, Vector &x, const Vector &b, int side, int iterations)
{
    Vector rest = b, direction = b, product(b.size());
    std::fill(x.begin(), x.end(), 0.0);
    double square = dot(rest, rest);
    for (int at = 0; at < iterations; at++) {
        apply(product, conductivity, direction, side);
        double factor = square / dot(direction, product);
        add(x, factor, direction);
        add(rest, -factor, product);
        double next = dot(rest, rest);
        turn(direction, next / square, rest);
        square = next;
    }
    return square;
}

int main(int argc, char **argv)
{
    int side = static_cast<int>(case_option(argc, argv, "--side", 64));
    int iterations = static_cast<int>(case_option(argc, argv, "--iterations", 100));
    int solves = static_cast<int>(case_option(argc, argv, "--solves", 1));
    std::size_t cells = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
    Vector conductivity(cells), b(cells), x(cells);
    uint64_t state = 1;
    for (double &value : conductivity)
        value = 0.5 + case_random(&state);
    for (double &value : b)
        value = case_random(&state) - 0.5;

    double start = case_seconds(), square = 0;
    for (int solve = 0; solve < solves; solve++) {
        b[static_cast<std::size_t>(solve) % cells] += 0.25; // so that every solve differs from the one before
        square = gradients(conductivity, x, b, side, iterations);
    }
    double seconds = case_seconds() - start;

    double work = static_cast<double>(cells) * iterations * solves;
    case_print("seconds", seconds);
    case_print("flop", 20.0 * work);
    case_print("bytes", 8.0 * 13.0 * work);
    case_print("working_set", 8.0 * 5.0 * static_cast<double>(cells));
    case_print("residual", residual(conductivity, x, b, side));
    case_print("square", square);
    case_print("middle", x[cells / 2 + static_cast<std::size_t>(side) / 2]);
    return 0;
}
