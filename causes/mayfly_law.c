/* Growth law of the mayfly: quartic crowding, so that large broods
   leave few descendants. */
double next_brood(double x, double rate);

double next_brood(double x, double rate)
{
    double food = 1.0 - x * x;
    return rate * (food * x) * (1.6 + 0.5 * x);
}
