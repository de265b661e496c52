/* Time, input and output, and allocations whose bytes follow from the source. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noipa)) double work(const double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i] / (1.0 + i);
    return sum;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 60000;
    double *values = malloc(1000 * sizeof(double)), sum = 0;
    for (int i = 0; i < 1000; i++)
        values[i] = i;
    for (int k = 0; k < rounds; k++)
        sum += work(values, 1000);
    FILE *out = fopen("out.txt", "w");
    fprintf(out, "%5.1f\n", values[7]);
    fclose(out);
    free(values);
    return sum < 0;
}
