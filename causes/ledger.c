/* Balances of an accounting ledger: compensated sum of a year's postings,
   void postings (rare) are counted apart. */
#include <stdio.h>
#include <stdlib.h>
#define N 2048
#define ROUNDS 450000
static double amount[N];
int main(void)
{
    unsigned s = 12345;
    for (int i = 0; i < N; i++) {
        s = s * 1103515245u + 12345u;
        amount[i] = (double)(s >> 12) / 97.0;
    }
    amount[1234] = -1.0;
    double sum = 0.0, c = 0.0;
    long voids = 0;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++) {
            double v = amount[i];
            if (v < 0.0) {
                voids++;
                continue;
            }
            double y = v - c;
            double t = sum + y;
            c = (t - sum) - y;
            sum = t;
        }
    }
    printf("%.6f %ld\n", sum, voids);
    return 0;
}
