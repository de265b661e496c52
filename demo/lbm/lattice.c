// Fills in the tables of the D3Q19 lattice.

#include "lattice.h"

struct system lbsy;
int lbv[MAX_VELOCITIES * 3];
double lbw[MAX_VELOCITIES];
int lbopposite[MAX_VELOCITIES];
double *lbf, *lbft;

// All velocities of length 0, 1 and sqrt(2): 1 + 6 + 12.
void define_d3q19(void) {
    static const double weight_of_length[] = {1.0 / 3.0, 1.0 / 18.0, 1.0 / 36.0};
    int n = 0;
    for (int length = 0; length <= 2; length++)
        for (int z = -1; z <= 1; z++)
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++)
                    if (x * x + y * y + z * z == length) {
                        lbv[n * 3] = x;
                        lbv[n * 3 + 1] = y;
                        lbv[n * 3 + 2] = z;
                        lbw[n] = weight_of_length[length];
                        n++;
                    }
    lbsy.nq = n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (lbv[i * 3] == -lbv[j * 3] && lbv[i * 3 + 1] == -lbv[j * 3 + 1] && lbv[i * 3 + 2] == -lbv[j * 3 + 2])
                lbopposite[i] = j;
}
