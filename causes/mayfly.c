/* Mayfly population model: follows one colony over very many generations;
   the growth law of the species is kept in its own file. */
#include <stdio.h>

double next_brood(double x, double rate);

int main(void)
{
    double x = 0.3137, last = 0.0;
    for (int lake = 0; lake < 1000; lake++) {
        double rate = 0.89 + lake * 1e-4;
        for (int g = 0; g < 600000; g++)
            x = next_brood(x, rate);
        last += x;
    }
    printf("mean brood %.12f\n", last / 1000);
    return 0;
}
