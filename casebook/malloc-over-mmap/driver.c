/* Steps on patches of a mesh: each step integrates the source over its patch. Patches have different sizes; the largest
 * that there could be has --room points, and a step uses 1/128 to 1/32 of that. */
#include "case.h"

double integral(long room, int points, int step);

int main(int argc, char **argv)
{
    long room = case_option(argc, argv, "--room", 8 << 20);
    int steps = (int)case_option(argc, argv, "--steps", 1);
    double level = 0, used = 0, largest = 0;
    uint64_t state = 1;

    double start = case_seconds();
    for (int step = 0; step < steps; step++) {
        int points = (int)(room / 128) + (int)((double)(room / 32 - room / 128) * case_random(&state));
        level += integral(room, points, step);
        used += (double)points;
        largest = (double)points > largest ? (double)points : largest;
    }
    double seconds = case_seconds() - start;

    case_print("seconds", seconds);
    case_print("flop", 4.0 * used);
    case_print("bytes", 2.0 * 8.0 * used);
    case_print("working_set", 8.0 * largest);
    case_print("level", level);
    return 0;
}
