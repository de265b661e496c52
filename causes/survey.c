/* Health survey: rates the answer sheets of a cohort by a points table and
   notes down the few that ask for a call-back. */
#include <stdint.h>
#include <stdio.h>

#define SHEETS 512
#define ROUNDS 1500000
#define CUT 900

struct sheet { uint8_t answer[14]; uint16_t id; };

static struct sheet sheets[SHEETS];
static int32_t points[14][32];
static uint16_t call_back[SHEETS];

int main(void)
{
    uint32_t seed = 1;
    uint64_t sum = 0, called = 0;
    for (int q = 0; q < 14; q++)
        for (int a = 0; a < 32; a++)
            points[q][a] = (q * 37 + a * 11) % 100;
    for (int i = 0; i < SHEETS; i++) {
        sheets[i].id = (uint16_t)i;
        for (int q = 0; q < 14; q++) {
            seed = seed * 1664525u + 1013904223u;
            sheets[i].answer[q] = seed >> 27;
        }
    }
    for (int r = 0; r < ROUNDS; r++) {
        int calls = 0;
        for (const struct sheet *s = sheets; s < sheets + SHEETS; s++) {
            const uint8_t *a = s->answer;
            int u = points[0][a[0]] + points[1][a[1]] + points[2][a[2]] +
                    points[3][a[3]] + points[4][a[4]] + points[5][a[5]] +
                    points[6][a[6]];
            int v = points[7][a[7]] + points[8][a[8]] + points[9][a[9]] +
                    points[10][a[10]] + points[11][a[11]] +
                    points[12][a[12]] + points[13][a[13]];
            if (u + v > CUT)
                call_back[calls++] = s->id;
            sum += (unsigned)(u + v);
        }
        called += (unsigned)calls + call_back[0];
        points[r % 14][r & 31] = r % 100;
    }
    printf("points %llu calls %llu\n", (unsigned long long)sum,
           (unsigned long long)called);
    return 0;
}
