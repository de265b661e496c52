/* Follows the temperature of many battery cells through a very large number of very small steps, in single precision: each
 * change is far smaller than the last digit of a temperature. The equation of a cell has a solution by formula, with which
 * the program compares its own. */
#include "cells.h"
#include "case.h"

#include <math.h>

int main(int argc, char **argv)
{
    int cells = (int)case_option(argc, argv, "--cells", 1000);
    int steps = (int)case_option(argc, argv, "--steps", 20000);
    float *temperature = case_memory((size_t)cells, sizeof *temperature);
    float *carry = case_memory((size_t)cells, sizeof *carry);
    float *change = case_memory((size_t)cells, sizeof *change);
    float *first = case_memory((size_t)cells, sizeof *first);
    uint64_t state = 1;
    for (int i = 0; i < cells; i++)
        temperature[i] = first[i] = (float)(290.0 + 20.0 * case_random(&state));

    /* Together the steps are one unit of time, however many there are. */
    float step = 1.0f / (float)steps;
    double start = case_seconds();
    for (int at = 0; at < steps; at++) {
        tendency(temperature, change, step, cells);
        advance(temperature, carry, change, cells);
    }
    double seconds = case_seconds() - start;

    /* T' = -C (T^4 - S^4) / T^3 has T^4 = S^4 + (T0^4 - S^4) exp(-4 C t) as its solution. */
    double worst = 0, mean = 0;
    for (int i = 0; i < cells; i++) {
        double surroundings = pow(280.0, 4), begin = pow(first[i], 4);
        double exact = pow(surroundings + (begin - surroundings) * exp(-4.0 * 0.05), 0.25);
        worst = fmax(worst, fabs((double)temperature[i] - exact) / exact);
        mean += temperature[i] / cells;
    }
    double work = (double)cells * steps;
    case_print("seconds", seconds);
    case_print("flop", 10.0 * work);
    case_print("bytes", 20.0 * work);
    case_print("working_set", 12.0 * cells);
    case_print("error", worst);
    /* 1 where more is lost than the digits of single precision explain. */
    case_print("lost", worst > 1e-6);
    case_print("mean", mean);
    return 0;
}
