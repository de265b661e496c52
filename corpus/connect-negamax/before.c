/* Connect-four engine: plays a game against itself with a fixed-depth
 * alpha-beta search and prints the moves and their values. */
#include <stdint.h>
#include <stdio.h>

#define COLS 7
#define ROWS 6
#define DEPTH 14
#define WIN 1000

/* each column takes ROWS + 1 bits, the top one is always empty */
typedef struct {
    uint64_t own, all;
    int moves;
} board_t;

static const int order[COLS] = {3, 2, 4, 1, 5, 0, 6};
static uint64_t centre_mask[4];

static uint64_t top_bit(int c)
{
    return 1ULL << (c * (ROWS + 1) + ROWS - 1);
}

static uint64_t bottom_bit(int c)
{
    return 1ULL << (c * (ROWS + 1));
}

static int can_play(const board_t *b, int c)
{
    return (b->all & top_bit(c)) == 0;
}

static board_t play(board_t b, int c)
{
    board_t n;
    n.own = b.own ^ b.all;
    n.all = b.all | (b.all + bottom_bit(c));
    n.moves = b.moves + 1;
    return n;
}

static int four(uint64_t p)
{
    static const int shift[4] = {1, ROWS, ROWS + 1, ROWS + 2};
    for (int d = 0; d < 4; d++) {
        uint64_t m = p & (p >> shift[d]);
        if (m & (m >> (2 * shift[d])))
            return 1;
    }
    return 0;
}

static int evaluate(const board_t *b)
{
    uint64_t other = b->own ^ b->all;
    int v = 0;
    for (int k = 1; k < 4; k++)
        v += k * (__builtin_popcountll(b->own & centre_mask[k]) - __builtin_popcountll(other & centre_mask[k]));
    return v;
}

static int negamax(board_t b, int depth, int alpha, int beta)
{
    if (four(b.own ^ b.all))
        return -WIN + b.moves;
    if (b.moves == COLS * ROWS)
        return 0;
    if (depth == 0)
        return evaluate(&b);
    int best = -10 * WIN;
    for (int i = 0; i < COLS; i++) {
        if (!can_play(&b, order[i]))
            continue;
        int v = -negamax(play(b, order[i]), depth - 1, -beta, -alpha);
        if (v > best)
            best = v;
        if (best > alpha)
            alpha = best;
        if (alpha >= beta)
            break;
    }
    return best;
}

static int choose(board_t b, int *value)
{
    int move = -1, alpha = -10 * WIN;
    for (int i = 0; i < COLS; i++) {
        if (!can_play(&b, order[i]))
            continue;
        int v = -negamax(play(b, order[i]), DEPTH - 1, -10 * WIN, -alpha);
        if (move < 0 || v > alpha) {
            alpha = v;
            move = order[i];
        }
    }
    *value = alpha;
    return move;
}

int main(void)
{
    for (int c = 0; c < COLS; c++) {
        int weight = c < COLS - 1 - c ? c : COLS - 1 - c;
        for (int r = 0; r < ROWS; r++)
            centre_mask[weight] |= bottom_bit(c) << r;
    }
    board_t b = {0, 0, 0};
    b = play(b, 1);
    b = play(b, 5);
    for (int ply = 0; ply < 14; ply++) {
        int value, c = choose(b, &value);
        b = play(b, c);
        printf("ply %2d column %d value %d\n", ply, c, value);
        if (four(b.own ^ b.all)) {
            printf("won\n");
            break;
        }
    }
    printf("position %016llx %016llx\n", (unsigned long long)b.own, (unsigned long long)b.all);
    return 0;
}
