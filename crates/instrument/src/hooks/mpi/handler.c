/*
 * What a hooked function of MPI does before it begins and when it ends: counts the call, its bytes and its receiver, and reads the
 * clock. Of the library it calls only what the standard allows at any time between MPI_Init and MPI_Finalize: sizes of types, ranks
 * of groups. The barrier is called where the user asked for it.
 */
#include "../handler.h"

/* What the tool knows of the process. A function that is not there is 0: of a library that is linked in, only what the program needs is. */
struct process {
    u64 type_size, comm_size, comm_rank, comm_group, group_size, group_translate, group_free, comm_inter, comm_remote, barrier;
    u64 world;    /* MPI_COMM_WORLD */
    u64 in_place; /* MPI_IN_PLACE */
    u64 handle;   /* bits of a handle */
    u64 freed;    /* communicators that were freed */
};

#define UNKNOWN (~0ul)

/* The arguments. */
struct arguments {
    const struct process *process;
    const struct call *call;
    const u64 *stack;
    u64 id;
};

static inline u64 argument(const struct arguments *a, int index)
{
    return index < 6 ? a->call->registers[index] : a->stack[index - 5];
}

static inline u64 handle(const struct arguments *a, u64 value)
{
    return a->process->handle == 32 ? (u64)(unsigned)value : value;
}

static inline u64 object(const struct arguments *a, int index)
{
    return handle(a, argument(a, index));
}

static inline i64 number(const struct arguments *a, int index)
{
    return a->id & WIDE ? (i64)argument(a, index) : (i64)(int)argument(a, index);
}

/* An element of an array of counts. */
static inline i64 count(const struct arguments *a, int index, u64 element)
{
    const void *array = (const void *)argument(a, index);
    return a->id & WIDE ? ((const i64 *)array)[element] : (i64)((const int *)array)[element];
}

/* An element of an array of handles. */
static inline u64 element(const struct arguments *a, u64 array, u64 index)
{
    return a->process->handle == 32 ? (u64)((const unsigned *)array)[index] : ((const u64 *)array)[index];
}

static u64 size_of(const struct arguments *a, u64 type)
{
    /* Handles of MPICH's own types hold their size (mpir_datatype.h, MPIR_Datatype_get_basic_size). */
    if (!a->process->type_size)
        return a->process->handle == 32 && type >> 24 == 0x4c ? type >> 8 & 0xff : UNKNOWN;
    int size = 0;
    int failed = ((int (*)(u64, int *))a->process->type_size)(type, &size);
    return failed || size < 0 ? UNKNOWN : (u64)size;
}

/* Ranks of a communicator; -1 where that cannot be asked. */
static i64 ranks(const struct arguments *a, u64 communicator)
{
    int size = -1;
    if (a->process->comm_size)
        ((int (*)(u64, int *))a->process->comm_size)(communicator, &size);
    return size;
}

/* The rank of this process in it; -1 where that cannot be asked. */
static i64 own_rank(const struct arguments *a, u64 communicator)
{
    int rank = -1;
    if (a->process->comm_rank)
        ((int (*)(u64, int *))a->process->comm_rank)(communicator, &rank);
    return rank;
}

/* Bytes of a number of elements. A type that goes with no element may be none. */
static u64 times(const struct arguments *a, i64 count, u64 type)
{
    if (count == 0)
        return 0;
    u64 size = count < 0 ? UNKNOWN : size_of(a, type);
    return size == UNKNOWN ? UNKNOWN : (u64)count * size;
}

static inline u64 plus(u64 a, u64 b)
{
    return a == UNKNOWN || b == UNKNOWN ? UNKNOWN : a + b;
}

/* The rank in MPI_COMM_WORLD of a rank of a communicator, plus 1; 0 where it has none. */
static u64 in_world(const struct arguments *a, u64 communicator, i64 rank)
{
    const struct process *p = a->process;
    if (communicator == p->world) {
        u64 size = *word(WORD_SIZE);
        /* A rank that there is none of is the program's error, which the library will report. */
        return size && (u64)rank >= size ? 0 : (u64)rank + 1;
    }
    if (!p->comm_group || !p->comm_inter || !p->group_size || !p->group_translate || !p->group_free)
        return 0;
    u64 freed = *(volatile const u64 *)&p->freed;
    cell row = at(TABLE_KNOWN + (hash(communicator + (u64)rank * 0x10001) % KNOWN_ROWS) * KNOWN_WORDS);
    if (row[KNOWN_COMMUNICATOR] == communicator && row[KNOWN_RANK] == (u64)rank + 1 && row[KNOWN_FREED] == freed)
        return row[KNOWN_WORLD];
    int inter = 0, from = (int)rank, to = -1;
    u64 group = 0, all = 0, world = 0;
    ((int (*)(u64, int *))p->comm_inter)(communicator, &inter);
    if (inter && !p->comm_remote)
        return 0;
    if (((int (*)(u64, u64 *))(inter ? p->comm_remote : p->comm_group))(communicator, &group))
        return 0;
    int size = 0;
    ((int (*)(u64, int *))p->group_size)(handle(a, group), &size);
    if (from < size && ((int (*)(u64, u64 *))p->comm_group)(p->world, &all) == 0) {
        int failed = ((int (*)(u64, int, const int *, u64, int *))p->group_translate)(handle(a, group), 1, &from,
                                                                                    handle(a, all), &to);
        /* Ranks that it does not have are MPI_UNDEFINED, which is negative. */
        world = failed || to < 0 ? 0 : (u64)to + 1;
        ((int (*)(u64 *))p->group_free)(&all);
    }
    ((int (*)(u64 *))p->group_free)(&group);
    row[KNOWN_COMMUNICATOR] = communicator;
    row[KNOWN_RANK] = (u64)rank + 1;
    row[KNOWN_WORLD] = world;
    row[KNOWN_FREED] = freed;
    return world;
}

/* Counts a message to a rank of MPI_COMM_WORLD, plus 1. */
static void to_peer(u64 peer, u64 bytes)
{
    if (peer == 0) {
        *word(WORD_FOREIGN) += 1;
        return;
    }
    u64 first = hash(peer);
    for (u64 k = 0; k < PEER_ROWS; k++) {
        cell row = at(TABLE_PEERS + (first + k) % PEER_ROWS * PEER_WORDS);
        if (row[PEER_RANK] == 0)
            row[PEER_RANK] = peer;
        if (row[PEER_RANK] == peer) {
            row[PEER_MESSAGES] += 1;
            if (bytes != UNKNOWN)
                row[PEER_BYTES] += bytes;
            return;
        }
    }
    *word(WORD_PEERS_LOST) += 1;
}

static void message(const struct arguments *a, u64 communicator, i64 rank, u64 bytes)
{
    if (rank >= 0)
        to_peer(in_world(a, communicator, rank), bytes);
}

/* The row of a persistent request; with `make`, a free one where it has none. 0 where there is none. */
static cell request_row(u64 request, int make)
{
    cell free = 0;
    u64 first = hash(request);
    for (u64 k = 0; k < REQUEST_ROWS; k++) {
        cell row = at(TABLE_REQUESTS + (first + k) % REQUEST_ROWS * REQUEST_WORDS);
        if (row[REQUEST_HANDLE] == request)
            return row;
        if (row[REQUEST_HANDLE] == 0) {
            free = row;
            break;
        }
    }
    return make ? free : 0;
}

static u64 started(u64 request)
{
    cell row = request_row(request, 0);
    if (!row) {
        *word(WORD_STARTS_LOST) += 1;
        return UNKNOWN;
    }
    if (row[REQUEST_PEER])
        to_peer(row[REQUEST_PEER] == UNKNOWN ? 0 : row[REQUEST_PEER], row[REQUEST_BYTES]);
    return row[REQUEST_BYTES];
}

/* Learns once where this process is in MPI_COMM_WORLD. */
static void introduce(const struct arguments *a)
{
    if (*word(WORD_RANK))
        return;
    i64 size = ranks(a, a->process->world), rank = own_rank(a, a->process->world);
    if (size < 0 || rank < 0)
        return;
    *word(WORD_SIZE) = (u64)size;
    *word(WORD_RANK) = (u64)rank + 1;
}

/* The sum of `n` counts; -1 where `n` is not known. */
static i64 sum(const struct arguments *a, int counts, i64 n)
{
    i64 all = n < 0 ? -1 : 0;
    for (i64 k = 0; k < n; k++)
        all += count(a, counts, (u64)k);
    return all;
}

/* A part for each rank. */
static i64 parts(i64 ranks, i64 count)
{
    return ranks < 0 ? -1 : ranks * count;
}

/* Bytes that this rank hands over to a collective call. */
static u64 collective(const struct arguments *a)
{
    int in_place = argument(a, 0) == a->process->in_place, shape = SHAPE(a->id);
    u64 all = 0;
    i64 n;
    switch (shape) {
    case BROADCAST:
        n = own_rank(a, object(a, 4));
        return n < 0 ? UNKNOWN : n == (int)argument(a, 3) ? times(a, number(a, 1), object(a, 2)) : 0;
    case GATHER:
    case GATHER_V:
        return in_place ? 0 : times(a, number(a, 1), object(a, 2));
    case SCATTER:
        n = own_rank(a, object(a, 7));
        if (n < 0 || n != (int)argument(a, 6))
            return n < 0 ? UNKNOWN : 0;
        return times(a, parts(ranks(a, object(a, 7)), number(a, 1)), object(a, 2));
    case SCATTER_V:
        n = own_rank(a, object(a, 8));
        if (n < 0 || n != (int)argument(a, 7))
            return n < 0 ? UNKNOWN : 0;
        return times(a, sum(a, 1, ranks(a, object(a, 8))), object(a, 3));
    case ALL_GATHER:
        return in_place ? times(a, number(a, 4), object(a, 5)) : times(a, number(a, 1), object(a, 2));
    case ALL_GATHER_V:
        if (!in_place)
            return times(a, number(a, 1), object(a, 2));
        n = own_rank(a, object(a, 7));
        return n < 0 ? UNKNOWN : times(a, count(a, 4, (u64)n), object(a, 6));
    case ALL_TO_ALL:
        n = ranks(a, object(a, 6));
        return in_place ? times(a, parts(n, number(a, 4)), object(a, 5)) : times(a, parts(n, number(a, 1)), object(a, 2));
    case ALL_TO_ALL_V:
        n = ranks(a, object(a, 8));
        return in_place ? times(a, sum(a, 5, n), object(a, 7)) : times(a, sum(a, 1, n), object(a, 3));
    case ALL_TO_ALL_W:
        n = ranks(a, object(a, 8));
        for (i64 k = 0; k < n; k++) {
            u64 type = element(a, argument(a, in_place ? 7 : 3), (u64)k);
            all = plus(all, times(a, count(a, in_place ? 5 : 1, (u64)k), type));
        }
        return n < 0 ? UNKNOWN : all;
    case REDUCE:
    case ALL_REDUCE:
        return times(a, number(a, 2), object(a, 3));
    case REDUCE_SCATTER:
        return times(a, sum(a, 2, ranks(a, object(a, 5))), object(a, 3));
    case REDUCE_SCATTER_BLOCK:
        return times(a, parts(ranks(a, object(a, 5)), number(a, 2)), object(a, 3));
    }
    return 0;
}

/* The communicator of a collective call, for the barrier before it. */
static u64 communicator(const struct arguments *a)
{
    switch (SHAPE(a->id)) {
    case BROADCAST:
        return object(a, 4);
    case GATHER:
    case SCATTER:
        return object(a, 7);
    case GATHER_V:
    case SCATTER_V:
    case ALL_TO_ALL_V:
    case ALL_TO_ALL_W:
        return object(a, 8);
    case ALL_GATHER:
    case ALL_TO_ALL:
        return object(a, 6);
    case ALL_GATHER_V:
        return object(a, 7);
    case REDUCE:
        return object(a, 6);
    default:
        return object(a, 5);
    }
}

/* Bytes that the call sends; UNKNOWN where its arguments do not show them. Counts the messages to other ranks. */
static u64 transfer(const struct arguments *a, cell own)
{
    u64 bytes;
    i64 rank;
    switch (SHAPE(a->id)) {
    case SEND:
    case SEND_RECEIVE:
    case SEND_RECEIVE_REPLACE:
    case SEND_INIT:
        rank = (i64)(int)argument(a, 3);
        /* To MPI_PROC_NULL nothing is sent. */
        bytes = rank < 0 ? 0 : times(a, number(a, 1), object(a, 2));
        u64 c = object(a, SHAPE(a->id) == SEND_RECEIVE ? 10 : SHAPE(a->id) == SEND_RECEIVE_REPLACE ? 7 : 5);
        if (SHAPE(a->id) != SEND_INIT) {
            message(a, c, rank, bytes);
            return bytes;
        }
        own[FRAME_HANDLE] = argument(a, 6);
        own[FRAME_BYTES] = bytes;
        /* 0 is that of a receive. */
        own[FRAME_PEER] = rank < 0 ? 0 : in_world(a, c, rank);
        if (rank >= 0 && !own[FRAME_PEER])
            own[FRAME_PEER] = UNKNOWN;
        return 0;
    case RECEIVE_INIT:
        own[FRAME_HANDLE] = argument(a, 6);
        return 0;
    case PARTITIONED_INIT:
        own[FRAME_HANDLE] = argument(a, 8);
        own[FRAME_BYTES] = UNKNOWN;
        return 0;
    case UNSHOWN:
        return UNKNOWN;
    case ONE_SIDED:
        return times(a, number(a, 1), object(a, 2));
    case START:
        return started(element(a, argument(a, 0), 0));
    case START_ALL:
        bytes = 0;
        for (i64 k = 0; k < (i64)(int)argument(a, 0); k++)
            bytes = plus(bytes, started(element(a, argument(a, 1), (u64)k)));
        return bytes;
    default:
        return collective(a);
    }
}

/* Counts a call from a place. */
static void counted(cell own, u64 place, u64 id, u64 bytes)
{
    u64 row = row_of(place, NUMBER(id) + 1);
    own[FRAME_ROW] = row;
    if (row == LOST) {
        *word(WORD_SITES_LOST) += 1;
        return;
    }
    cell s = site(row);
    s[SITE_CALLS] += 1;
    if (bytes == UNKNOWN) {
        s[SITE_UNKNOWN] += 1;
        return;
    }
    s[SITE_BYTES] += bytes;
    s[SITE_BINS + bin_of(bytes)] += 1;
}

/* Called where a hooked function begins. */
__attribute__((visibility("default"))) void loopwright_enter(const struct call *call, const u64 *stack, u64 id,
                                                             struct process *process)
{
    if (is_closed())
        return;
    u64 depth = depth_at(stack);
    /* What the library calls on its own account is part of the call that is counted. */
    if (depth == FRAME_MOST || (depth > 0 && frame(depth - 1)[FRAME_ROW]))
        return;
    cell own = begin(depth, stack, id);
    if (!(id & WRAPPER)) {
        struct arguments a = {process, call, stack, id};
        u64 bytes = 0, shape = SHAPE(id);
        *word(WORD_INSIDE) = 1;
        if (shape != PLAIN && shape != FREE) {
            introduce(&a);
            bytes = transfer(&a, own);
        }
        if (shape == FREE)
            __atomic_add_fetch(&process->freed, 1, __ATOMIC_SEQ_CST);
        counted(own, frame(0)[FRAME_SITE], id, bytes);
        if (process->barrier && id & SYNCHRONISE) {
            u64 before = ticks();
            ((int (*)(u64))process->barrier)(communicator(&a));
            if (own[FRAME_ROW] != LOST)
                site(own[FRAME_ROW])[SITE_WAITING] += ticks() - before;
        }
        *word(WORD_INSIDE) = 0;
    }
    /* A wrapper's time is that of the function that it calls: neither the barrier nor the tool's work at the first call of that
     * function is in it. */
    u64 now = ticks();
    for (u64 k = 0; k <= depth; k++)
        frame(k)[FRAME_BEGIN] = now;
}

/* Called where it ends. */
__attribute__((visibility("default"))) void loopwright_exit(const u64 *stack, u64 id, u64 result, struct process *process)
{
    if (is_closed())
        return;
    u64 now = ticks(), k = end(stack, id);
    if (k == 0)
        return;
    cell own = frame(k - 1);
    u64 row = own[FRAME_ROW];
    /* MPI's results are of type int. */
    if (own[FRAME_HANDLE] && (int)result == 0) {
        u64 request = process->handle == 32 ? *(const unsigned *)own[FRAME_HANDLE] : *(const u64 *)own[FRAME_HANDLE];
        cell kept = request_row(request, 1);
        if (kept) {
            kept[REQUEST_HANDLE] = request;
            kept[REQUEST_BYTES] = own[FRAME_BYTES];
            kept[REQUEST_PEER] = own[FRAME_PEER];
        }
    }
    if (k > 1) {
        /* The wrapper around it counts the time in the same row. */
        if (row)
            frame(k - 2)[FRAME_ROW] = row;
        return;
    }
    if (row == 0) {
        /* A wrapper that called no function that is hooked: it did the work itself. */
        counted(own, own[FRAME_SITE], id, UNKNOWN);
        row = own[FRAME_ROW];
    }
    if (row != LOST)
        spend(site(row), now - own[FRAME_BEGIN]);
}
