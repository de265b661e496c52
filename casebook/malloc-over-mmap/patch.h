/* The source of a step at the points of a patch, and its integral by the trapezoidal rule. */
static inline double integral_in(double *source, int points, int step)
{
    double width = 1.0 / (double)(points - 1), strength = width / (step + 1);
    for (int i = 0; i < points; i++) {
        double x = (double)i * width;
        source[i] = strength * x * (1.0 - x);
    }
    /* Eight sums: one would make each addition wait for the one before. */
    double part[8] = {0}, sum = 0;
    for (int i = 0; i + 8 <= points; i += 8)
        for (int k = 0; k < 8; k++)
            part[k] += source[i + k];
    for (int k = 0; k < 8; k++)
        sum += part[k];
    for (int i = points / 8 * 8; i < points; i++)
        sum += source[i];
    return sum - 0.5 * (source[0] + source[points - 1]);
}
