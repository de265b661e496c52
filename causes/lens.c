/* Camera design: image distance and magnification of a thin lens for a table
   of object distances, for every focal length of a zoom. */
#include <stdio.h>

#define OBJECTS 512
#define ZOOMS 3000000

static double distance[OBJECTS], image[OBJECTS], scale[OBJECTS];

static void expose(double focal, int n)
{
    double power = 1.0 / focal;
    for (int i = 0; i < n; i++) {
        double v = 1.0 / (power - 1.0 / distance[i]);
        image[i] = v;
        scale[i] = v / distance[i];
    }
}

int main(void)
{
    double sum = 0.0;
    for (int i = 0; i < OBJECTS; i++)
        distance[i] = 0.5 + 0.013 * i;
    for (int z = 0; z < ZOOMS; z++) {
        expose(0.02 + 1e-7 * (z % 1000), OBJECTS);
        sum += image[z % OBJECTS] - scale[z % OBJECTS];
    }
    printf("image table %.9f\n", sum);
    return 0;
}
