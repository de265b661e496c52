/* Computes the equilibrium distribution of many sites repeatedly, and prints sums of it. */
#include "case.h"
#include "lattice.h"

lattice lbsy;

/* All velocities of length 0, 1 and sqrt(2): 1 + 6 + 12. */
static void define_d3q19(void)
{
    static const double weight_of_length[] = {1.0 / 3.0, 1.0 / 18.0, 1.0 / 36.0};
    lbsy.nq = 0;
    for (int length = 0; length <= 2; length++)
        for (int z = -1; z <= 1; z++)
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++)
                    if (x * x + y * y + z * z == length)
                        set_velocity(lbsy.nq++, x, y, z, weight_of_length[length]);
}

int main(int argc, char **argv)
{
    int sites = (int)case_option(argc, argv, "--sites", 100);
    int passes = (int)case_option(argc, argv, "--passes", 1);
    const size_t values = (size_t)make_tables(1 + 6 + 12);
    define_d3q19();
    double *feq = case_memory((size_t)sites * values, sizeof *feq);
    double *v = case_memory((size_t)sites * 3, sizeof *v);
    double *rho = case_memory((size_t)sites, sizeof *rho);
    uint64_t state = 1;
    for (int s = 0; s < sites; s++) {
        for (int d = 0; d < 3; d++)
            v[3 * s + d] = 0.1 * (case_random(&state) - 0.5);
        rho[s] = 1 + 0.1 * case_random(&state);
    }

    double start = case_seconds();
    for (int pass = 0; pass < passes; pass++)
        get_equilibria(sites, v, rho, feq);
    double seconds = case_seconds() - start;

    /* An equilibrium distribution adds up to the density for every velocity. */
    double sum = 0, weighted = 0, deviation = 0;
    for (int s = 0; s < sites; s++) {
        const double *of_site = feq + (size_t)s * values;
        double density = 0;
        for (int i = 0; i < lbsy.nq; i++) {
            density += of_site[i];
            weighted += of_site[i] * (i + 1);
        }
        sum += density;
        if (density - rho[s] > deviation || rho[s] - density > deviation)
            deviation = density > rho[s] ? density - rho[s] : rho[s] - density;
    }
    double computed = (double)sites * passes;
    case_print("seconds", seconds);
    /* 13 for each velocity, 6 for the square of the site's velocity. */
    case_print("flop", (13.0 * lbsy.nq + 6) * computed);
    case_print("bytes", 8.0 * (lbsy.nq + 4) * computed);
    case_print("working_set", 8.0 * (lbsy.nq + 4) * sites);
    case_print("sum", sum);
    case_print("weighted", weighted);
    case_print("deviation", deviation);
    return 0;
}
