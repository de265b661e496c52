/*
 * What all handlers have in common. A handler is what a hooked function calls before it begins and when it ends. Its code runs
 * inside of the program, on the thread that called, and keeps to these rules:
 *
 * - It has no data of its own. Counters are in the thread's area, behind GS, which no other thread writes; what is the same for all
 *   threads is handed over by address.
 * - It uses general registers only, so that the caller's vector registers need no saving. The functions of libraries that it
 *   calls may change those that a function may change.
 * - It has no effect that a program can see.
 * - It refuses quietly. What finds no place in a table is counted as lost.
 *
 * The numbers in capitals come from layout.rs and the lists of shapes.
 */
typedef unsigned long u64;
typedef long i64;
typedef u64 __seg_gs *cell;

/* The call: arguments in registers, and on the stack from the return address on. */
struct call {
    u64 registers[6];
};

/* The word that the hook pushes: number, shape, and marks. */
#define NUMBER(id) ((id) & 0xffff)
#define SHAPE(id) ((id) >> 16 & 0xff)

/* A row of a call that found none. */
#define LOST 0xffff

static inline cell at(u64 index)
{
    return (cell)(COUNTERS + index / TABLE_PAGE * LAYER + index % TABLE_PAGE * 8);
}

static inline cell word(u64 which)
{
    return at(which);
}

static inline cell frame(u64 index)
{
    return at(WORD_FRAMES + index * FRAME_WORDS);
}

static inline u64 ticks(void)
{
    unsigned low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (u64)high << 32 | low;
}

/* Multiplicative hashing (Knuth, volume 3, 6.4). */
static inline u64 hash(u64 key)
{
    return key * 0x9e3779b97f4a7c15ul >> 40;
}

/* The row of a function called from a place, plus 1; LOST where there is none. */
static u64 row_of(u64 place, u64 function)
{
    u64 first = hash(place ^ function << 48);
    for (u64 k = 0; k < SITE_ROWS; k++) {
        u64 index = (first + k) % SITE_ROWS;
        cell row = at(TABLE_SITES + index * SITE_WORDS);
        if (row[SITE_PLACE] == 0) {
            row[SITE_FUNCTION] = function;
            row[SITE_PLACE] = place;
        }
        if (row[SITE_PLACE] == place && row[SITE_FUNCTION] == function)
            return index + 1;
    }
    return LOST;
}

static inline cell site(u64 row)
{
    return at(TABLE_SITES + (row - 1) * SITE_WORDS);
}

/* The class of an amount of bytes. */
static inline u64 bin_of(u64 bytes)
{
    return (u64)(bytes >= BIN_0) + (bytes >= BIN_1) + (bytes >= BIN_2) + (bytes >= BIN_3) + (bytes >= BIN_4);
}

/* Nothing may be counted: the area without an owner is that of all threads that found none, and the handler itself may call
 * functions that are hooked, or be interrupted by a signal whose handler does. */
static inline int is_closed(void)
{
    return *(cell)AREA_NUMBER == 0 || *word(WORD_INSIDE);
}

/* The number of calls in progress, without those that were left by longjmp or an exception: the stack is above them again. */
static u64 depth_at(const u64 *stack)
{
    u64 depth = *word(WORD_DEPTH);
    while (depth > 0 && frame(depth - 1)[FRAME_STACK] <= (u64)stack) {
        depth -= 1;
        *word(WORD_TORN) += 1;
    }
    *word(WORD_DEPTH) = depth;
    return depth;
}

/* Notes a call that begins. */
static cell begin(u64 depth, const u64 *stack, u64 id)
{
    cell own = frame(depth);
    *word(WORD_DEPTH) = depth + 1;
    own[FRAME_STACK] = (u64)stack;
    own[FRAME_FUNCTION] = id;
    own[FRAME_SITE] = stack[0];
    for (u64 k = FRAME_OWN; k < FRAME_WORDS; k++)
        own[k] = 0;
    return own;
}

/* The call that ends, as its number of calls in progress; 0 where its beginning was not seen. Those inside of it are over. */
static u64 end(const u64 *stack, u64 id)
{
    u64 depth = *word(WORD_DEPTH), k = depth;
    while (k > 0 && !(frame(k - 1)[FRAME_STACK] == (u64)stack && frame(k - 1)[FRAME_FUNCTION] == id))
        k -= 1;
    if (k == 0)
        return 0;
    *word(WORD_TORN) += depth - k;
    *word(WORD_DEPTH) = k - 1;
    return k;
}

/* Adds the time of a call to its row. */
static void spend(cell s, u64 spent)
{
    s[SITE_TICKS] += spent;
    if (spent > s[SITE_LONGEST])
        s[SITE_LONGEST] = spent;
}
