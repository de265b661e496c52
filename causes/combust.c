/* Source terms of a large reaction mechanism, generated as straight-line code
   (one line of the macro per reaction, saturating rates), advanced with explicit Euler. */
#include <stdio.h>
#include <stdlib.h>
#ifndef STEPS
#define STEPS 2000000
#endif
#define NSP 500
#define SP(n, k) ((((n) * 2654435761u + (k) * 97u * 2246822519u) >> 11) % NSP)
#define REACT(n) \
    { double r = y[SP(n, 1)] * y[SP(n, 2)]; w[(n) % 2048] = r - r * r; }
#define R4(n) REACT(n) REACT(n + 1) REACT(n + 2) REACT(n + 3)
#define R16(n) R4(n) R4(n + 4) R4(n + 8) R4(n + 12)
#define R64(n) R16(n) R16(n + 16) R16(n + 32) R16(n + 48)
#define R256(n) R64(n) R64(n + 64) R64(n + 128) R64(n + 192)
#define R1024(n) R256(n) R256(n + 256) R256(n + 512) R256(n + 768)

int main(void)
{
    double *restrict y = malloc(NSP * sizeof *y), *restrict w = malloc(2048 * sizeof *w);
    for (int i = 0; i < NSP; i++) y[i] = 1.0 / (i + 2);
    double s = 0;
    for (long t = 0; t < STEPS; t++) {
        R1024(0u)
        R1024(1024u)
        y[t % NSP] += 1e-5 * w[t & 2047];
        s += w[(t * 7) & 2047];
    }
    printf("combust %.9g\n", s);
    free(y); free(w);
    return 0;
}
