/* A portfolio whose value follows risk factors linearly, and the random moves of those factors. */
#ifndef PORTFOLIO_H
#define PORTFOLIO_H

struct portfolio {
    int factors, instruments;
    const double *correlate;   /* factors x factors: turns independent moves into correlated ones */
    const double *sensitivity; /* instruments x factors: change of an instrument's value with a factor's move */
    const double *weight;      /* of each instrument in the portfolio */
};

/* Values the portfolio under `scenarios` draws (scenarios x factors, independent moves): the change of the whole
 * portfolio's value goes to `changes`, one for each scenario, and each instrument's changes are added up in `total`. */
void evaluate(const struct portfolio *portfolio, const double *draws, long scenarios, double *changes, double *total);

#endif
