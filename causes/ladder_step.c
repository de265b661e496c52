/* Synthesiser voice, filter part: one sample of the pole with its
   soft saturation. */
double pole_step(double y, double x);
double pole_step(double y, double x) {
    double e = x - 0.7 * y;
    return y + 0.21 * (e - 0.12 * e * e * e);
}
