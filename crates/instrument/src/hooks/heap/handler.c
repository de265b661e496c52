/*
 * What a hooked function of the heap does before it begins and when it ends. Calls and bytes are counted when a call ends, for the
 * outermost hooked function: that of C++ or a library around the allocator, where there is one. No clock is read.
 *
 * The live heap is known by samples: about one byte in INTERVAL is chosen, and the allocation that holds it counts as INTERVAL bytes;
 * one that is larger counts as itself. Chosen addresses are in a table that all threads of the process share; whoever frees one of
 * them takes it out.
 */
#include "../handler.h"

/* What the tool knows of the process. */
struct process {
    u64 shared; /* Address of the memory that all threads share. */
};

typedef unsigned char u8;

static inline u64 *shared(const struct process *p, u64 index)
{
    return (u64 *)p->shared + index;
}

static inline u8 *filter(const struct process *p, u64 address)
{
    return (u8 *)shared(p, SHARED_FILTER) + (hash(address) & (FILTER_BYTES - 1));
}

/* The bytes that are live for a place, by all threads. Places whose hashes agree share a number. */
static inline u64 *live_of(const struct process *p, u64 place, u64 function)
{
    return shared(p, SHARED_LIVE_OF + hash(place ^ function << 48) % LIVE_OF_ROWS);
}

/* The row of an address in the table of samples; with `free`, one that holds none. 0 where there is none. */
static u64 *sample_row(const struct process *p, u64 address, int free)
{
    u64 first = hash(address);
    for (u64 k = 0; k < SAMPLE_PROBES; k++) {
        u64 *row = shared(p, SHARED_SAMPLES + (first + k) % SAMPLE_ROWS * SAMPLE_WORDS);
        u64 found = __atomic_load_n(&row[SAMPLE_ADDRESS], __ATOMIC_ACQUIRE);
        if (free ? found == 0 : found == address)
            return row;
    }
    return 0;
}

/* Adds to what is freed of a place: in the freeing thread's own table. */
static void freed(const struct process *p, u64 place, u64 function, u64 bytes)
{
    __atomic_fetch_sub(shared(p, SHARED_LIVE), bytes, __ATOMIC_RELAXED);
    __atomic_fetch_sub(live_of(p, place, function), bytes, __ATOMIC_RELAXED);
    u64 row = row_of(place, function);
    if (row == LOST)
        *word(WORD_SAMPLES_LOST) += 1;
    else
        site(row)[SITE_FREED] += bytes;
}

/* An address is given back. */
static void released(const struct process *p, u64 address)
{
    if (*(volatile u8 *)filter(p, address) == 0)
        return;
    u64 *row = sample_row(p, address, 0);
    if (!row)
        return;
    u64 place = row[SAMPLE_PLACE], function = row[SAMPLE_FUNCTION], bytes = row[SAMPLE_BYTES];
    /* Two threads that free the same address are the program's error: one of them finds it. */
    if (!__atomic_compare_exchange_n(&row[SAMPLE_ADDRESS], &address, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    u8 *count = filter(p, address);
    /* One that has reached its end does not know any more how many there are. */
    if (__atomic_load_n(count, __ATOMIC_RELAXED) != 255)
        __atomic_fetch_sub(count, 1, __ATOMIC_RELAXED);
    freed(p, place, function, bytes);
}

/* An allocation was chosen. */
static void chosen(const struct process *p, u64 address, u64 place, u64 function, u64 bytes)
{
    u64 *row = sample_row(p, address, 1), none = 0;
    /* A row is taken by a value that is no address, filled, and shown. */
    if (!row || !__atomic_compare_exchange_n(&row[SAMPLE_ADDRESS], &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        *word(WORD_SAMPLES_LOST) += 1;
        return;
    }
    row[SAMPLE_PLACE] = place;
    row[SAMPLE_FUNCTION] = function;
    row[SAMPLE_BYTES] = bytes;
    u8 *count = filter(p, address);
    if (__atomic_load_n(count, __ATOMIC_RELAXED) != 255)
        __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&row[SAMPLE_ADDRESS], address, __ATOMIC_RELEASE);
    u64 live = __atomic_add_fetch(shared(p, SHARED_LIVE), bytes, __ATOMIC_RELAXED);
    if ((i64)live > (i64)*word(WORD_PEAK))
        *word(WORD_PEAK) = live;
    u64 of_place = __atomic_add_fetch(live_of(p, place, function), bytes, __ATOMIC_RELAXED);
    u64 index = row_of(place, function);
    if (index == LOST)
        return;
    cell s = site(index);
    s[SITE_SAMPLED] += bytes;
    if ((i64)of_place > (i64)s[SITE_PEAK])
        s[SITE_PEAK] = of_place;
}

/* A number of bytes around INTERVAL, which varies so that no regular program is seen at one place alone (xorshift, Marsaglia 2003). */
static u64 distance(u64 random)
{
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    *word(WORD_RANDOM) = random;
    return INTERVAL / 2 + random % INTERVAL;
}

/* The same where the bytes until the next sample are over. */
static u64 weight_beyond(i64 left)
{
    u64 random = *word(WORD_RANDOM), bytes = 0;
    if (random == 0) {
        /* A thread begins somewhere between two samples, each at another place: else its first allocation was always chosen. */
        random = *(cell)AREA_NUMBER * 0x9e3779b97f4a7c15ul | 1;
        left += (i64)(distance(random) - INTERVAL / 2);
    }
    /* What is beyond the chosen byte counts towards the next one: else large allocations were chosen too rarely. */
    while (left < 0) {
        left += (i64)distance(*word(WORD_RANDOM));
        bytes += INTERVAL;
    }
    *word(WORD_LEFT) = (u64)left;
    return bytes;
}

/* Bytes that an allocation counts as; 0 where it is not chosen. */
static inline u64 weight(u64 bytes)
{
    if (bytes >= INTERVAL)
        return bytes;
    i64 left = (i64)*word(WORD_LEFT) - (i64)bytes;
    if (left < 0)
        return weight_beyond(left);
    *word(WORD_LEFT) = (u64)left;
    return 0;
}

static u64 product(u64 a, u64 b)
{
    u64 bytes;
    return __builtin_mul_overflow(a, b, &bytes) ? 0 : bytes;
}

static u64 bytes_of(const struct call *call, u64 shape)
{
    switch (shape) {
    case PRODUCT:
        return product(call->registers[0], call->registers[1]);
    case RESIZE:
    case ALIGNED:
        return call->registers[1];
    case RESIZE_PRODUCT:
        return product(call->registers[1], call->registers[2]);
    case INTO:
        return call->registers[2];
    default:
        return call->registers[0];
    }
}

/* Called where a hooked function begins. */
__attribute__((visibility("default"))) void loopwright_enter(const struct call *call, const u64 *stack, u64 id,
                                                             struct process *process)
{
    if (is_closed())
        return;
    u64 shape = SHAPE(id);
    if (shape == RELEASE) {
        if (call->registers[0])
            released(process, call->registers[0]);
        return;
    }
    *word(WORD_INSIDE) = 1;
    u64 depth = *word(WORD_DEPTH) ? depth_at(stack) : 0;
    /* An allocator that calls another of its functions allocates once. */
    int nested = depth > 0 && (shape == AROUND || SHAPE(frame(depth - 1)[FRAME_FUNCTION]) != AROUND);
    if (!nested && depth < FRAME_MOST) {
        cell own = begin(depth, stack, id);
        if (shape != AROUND) {
            u64 bytes = bytes_of(call, shape);
            own[FRAME_BYTES] = bytes;
            own[FRAME_WEIGHT] = weight(bytes);
            own[FRAME_POINTER] = call->registers[0];
            /* Once the call has ended, another thread may have the old address. Where it fails, which it does when memory runs out,
             * the sample of the old allocation is gone. */
            if ((shape == RESIZE || shape == RESIZE_PRODUCT) && call->registers[0])
                released(process, call->registers[0]);
        }
    }
    *word(WORD_INSIDE) = 0;
}

/* Called where it ends. */
__attribute__((visibility("default"))) void loopwright_exit(const u64 *stack, u64 id, u64 result, struct process *process)
{
    u64 shape = SHAPE(id);
    if (is_closed() || *word(WORD_DEPTH) == 0)
        return;
    *word(WORD_INSIDE) = 1;
    u64 k = end(stack, id);
    if (k > 0 && shape != AROUND) {
        cell own = frame(k - 1);
        u64 bytes = own[FRAME_BYTES];
        u64 address = shape != INTO ? result : (int)result == 0 ? *(const u64 *)own[FRAME_POINTER] : 0;
        u64 place = frame(0)[FRAME_SITE], function = NUMBER(frame(0)[FRAME_FUNCTION]) + 1;
        u64 row = row_of(place, function);
        if (row == LOST) {
            *word(WORD_SITES_LOST) += 1;
        } else {
            cell s = site(row);
            s[SITE_CALLS] += 1;
            /* One that failed allocates nothing. */
            if (address) {
                s[SITE_BYTES] += bytes;
                s[SITE_BINS + bin_of(bytes)] += 1;
            } else {
                s[SITE_UNKNOWN] += 1;
            }
        }
        if (own[FRAME_WEIGHT] && address)
            chosen(process, address, place, function, own[FRAME_WEIGHT]);
    }
    *word(WORD_INSIDE) = 0;
}
