/* Game server: four independent position tags (board, castling view, two
   mirrored boards) from the pieces of a long list of squares. */
#include <stdint.h>
#include <stdio.h>
enum { SQUARES = 4096, GAMES = 1200000 };
static uint64_t board[256], castle[256], mirror[256], flip[256];
static uint8_t piece[SQUARES];
struct tags { uint64_t b, c, m, f; };
static struct tags __attribute__((noinline)) position(const uint8_t *p, int n) {
    struct tags t = {0, 0, 0, 0};
    for (int i = 0; i < n; i++) {
        uint8_t k = p[i];
        t.b ^= board[k];
        t.c ^= castle[k];
        t.m ^= mirror[k];
        t.f ^= flip[k];
    }
    return t;
}
int main(void) {
    uint64_t s = 31, sum = 0;
    for (int i = 0; i < 256; i++) {
        board[i] = s = s * 6364136223846793005ull + 1442695040888963407ull;
        castle[i] = s = s * 6364136223846793005ull + 1442695040888963407ull;
        mirror[i] = s = s * 6364136223846793005ull + 1442695040888963407ull;
        flip[i] = s = s * 6364136223846793005ull + 1442695040888963407ull;
    }
    for (int i = 0; i < SQUARES; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        piece[i] = (uint8_t)(s >> 56);
    }
    for (int g = 0; g < GAMES; g++) {
        piece[g % SQUARES] += 3;
        struct tags t = position(piece, SQUARES);
        sum = sum * 7 + (t.b ^ t.c ^ t.m ^ t.f);
    }
    printf("zobrist %016llx\n", (unsigned long long)sum);
    return 0;
}
