/*
 * What a hooked function of input and output does before it begins and when it ends. The outermost call is counted at the place that
 * called it; transfers of the system that it makes are counted there too, and for the file. The clock is read twice.
 *
 * Everything is counted at the end of a call, when its result shows what it did: nothing that an argument points to is read before the
 * system has accepted it.
 */
#include "../handler.h"

/* What the tool knows of the process. */
struct process {
    u64 descriptors; /* Address of the table of descriptors. */
    /* Functions of the C library; 0 where they are not there. */
    u64 fileno;
    u64 errno_location;
};

#define NOTHING (~0ul)
/* <fcntl.h> of Linux on x86-64. */
#define O_APPEND 02000
#define F_DUPFD 0
#define F_DUPFD_CLOEXEC 1030
/* <linux/close_range.h>: they are closed by a later exec. */
#define CLOSE_RANGE_CLOEXEC 4
/* <sys/syscall.h>. */
#define SYS_GETPID 39

static inline u64 *descriptor(const struct process *p, u64 number)
{
    return number < DESCRIPTOR_MOST ? (u64 *)p->descriptors + number * DESCRIPTOR_WORDS : 0;
}

/* What a row is found by: hash of the path, or what the descriptor is. */
static u64 key_of(const struct process *p, u64 number)
{
    u64 *d = descriptor(p, number);
    if (!d)
        return UNNAMED_UNOPENED;
    u64 key = *(volatile u64 *)&d[DESCRIPTOR_FILE];
    return key ? key : number < 3 ? UNNAMED_STANDARD + number : UNNAMED_UNOPENED;
}

/* The row of a file in the thread's table; the first one where there is no other. */
static cell row_of_file(u64 key)
{
    u64 first = hash(key);
    for (u64 k = 0; k < FILE_ROWS; k++) {
        u64 index = (first + k) % FILE_ROWS;
        if (index == 0)
            continue;
        cell row = at(TABLE_FILES + index * FILE_WORDS);
        if (row[FILE_KEY] == 0)
            row[FILE_KEY] = key;
        if (row[FILE_KEY] == key)
            return row;
    }
    *word(WORD_FILES_LOST) += 1;
    cell others = at(TABLE_FILES);
    others[FILE_KEY] = UNNAMED_OTHERS;
    return others;
}

/* A child of vfork runs in its parent's memory, with the parent's area: what it does to descriptors is its own affair. */
static int is_own_process(void)
{
    u64 own;
    __asm__ volatile("syscall" : "=a"(own) : "a"(SYS_GETPID) : "rcx", "r11", "memory");
    if (*word(WORD_PROCESS) == 0)
        *word(WORD_PROCESS) = own;
    return *word(WORD_PROCESS) == own;
}

/* FNV-1a of a path (draft-eastlake-fnv-17), never one of the keys without a path; and its length. */
static u64 hash_of_path(const char *path, u64 folder, u64 *length)
{
    u64 h = 0xcbf29ce484222325ul ^ folder, n = 0;
    for (; path[n]; n++)
        h = (h ^ (unsigned char)path[n]) * 0x100000001b3ul;
    *length = n;
    return h <= UNNAMED_LAST ? UNNAMED_LAST + 1 : h;
}

/* A descriptor that a call returned refers to a path now. The system has read the path, so that it can be read. */
static cell opened(const struct process *p, u64 number, const char *path, u64 folder, int appends)
{
    u64 length;
    u64 key = hash_of_path(path, folder, &length);
    u64 *d = descriptor(p, number);
    if (d && is_own_process()) {
        d[DESCRIPTOR_POSITION] = 0;
        d[DESCRIPTOR_END] = 0;
        d[DESCRIPTOR_STATE] = appends ? DESCRIPTOR_APPENDS : 0;
        *(volatile u64 *)&d[DESCRIPTOR_FILE] = key;
    }
    cell row = row_of_file(key);
    row[FILE_OPENS] += 1;
    if (row[FILE_LENGTH] == 0 && row[FILE_KEY] == key) {
        /* Of a long path its end. */
        u64 from = length > FILE_KEPT ? length - FILE_KEPT : 0, value = 0, n = 0;
        for (; from + n < length; n++) {
            value |= (u64)(unsigned char)path[from + n] << n % 8 * 8;
            if (n % 8 == 7 || from + n + 1 == length) {
                row[FILE_PATH + n / 8] = value;
                value = 0;
            }
        }
        row[FILE_IN_FOLDER] = folder != 0;
        row[FILE_LENGTH] = length;
    }
    return row;
}

static void forgotten(const struct process *p, u64 number)
{
    u64 *d = descriptor(p, number);
    if (d && *(volatile u64 *)&d[DESCRIPTOR_FILE] && is_own_process())
        *(volatile u64 *)&d[DESCRIPTOR_FILE] = 0;
}

static void duplicated(const struct process *p, u64 from, u64 to)
{
    u64 *d = descriptor(p, to), *source = descriptor(p, from);
    if (!d || from == to || !is_own_process())
        return;
    if (source && source[DESCRIPTOR_FILE]) {
        for (u64 k = 0; k < DESCRIPTOR_WORDS; k++)
            d[k] = source[k];
        return;
    }
    /* Where a standard descriptor is now something else, its name would be wrong. */
    *(volatile u64 *)&d[DESCRIPTOR_FILE] = key_of(p, from);
}

/* Counts a transfer of the system, whose result is `bytes`; `offset` is NOTHING where it is at the file's position. */
static void transferred(const struct process *p, u64 number, i64 bytes, u64 offset, int writes, u64 spent)
{
    cell row = row_of_file(key_of(p, number));
    row[writes ? FILE_WRITES : FILE_READS] += 1;
    row[writes ? FILE_WRITE_TICKS : FILE_READ_TICKS] += spent;
    if (spent > row[FILE_LONGEST])
        row[FILE_LONGEST] = spent;
    if (bytes < 0)
        return;
    row[writes ? FILE_WRITTEN_BYTES : FILE_READ_BYTES] += (u64)bytes;
    row[(writes ? FILE_WRITE_BINS : FILE_READ_BINS) + bin_of((u64)bytes)] += 1;
    u64 *d = descriptor(p, number);
    if (!d || d[DESCRIPTOR_FILE] <= UNNAMED_LAST)
        return;
    u64 state = d[DESCRIPTOR_STATE], last = d[DESCRIPTOR_END];
    int appends = writes && state & DESCRIPTOR_APPENDS;
    u64 begin = appends ? last : offset == NOTHING ? d[DESCRIPTOR_POSITION] : offset;
    row[begin == last ? FILE_CONSECUTIVE : begin > last ? FILE_FORWARD : FILE_BACKWARD] += 1;
    row[FILE_UNALIGNED] += !appends && ((begin | (begin + (u64)bytes)) & 4095) != 0;
    row[FILE_SWITCHES] += state & DESCRIPTOR_USED && !(state & DESCRIPTOR_WROTE) != !writes;
    d[DESCRIPTOR_STATE] = (state & DESCRIPTOR_APPENDS) | DESCRIPTOR_USED | (writes ? DESCRIPTOR_WROTE : 0);
    d[DESCRIPTOR_END] = begin + (u64)bytes;
    if (offset == NOTHING)
        d[DESCRIPTOR_POSITION] = begin + (u64)bytes;
}

static void other(const struct process *p, u64 number, u64 which, u64 amount, u64 spent)
{
    cell row = row_of_file(key_of(p, number));
    if (which)
        row[which] += amount;
    row[FILE_OTHER_TICKS] += spent;
}

/* The descriptor of a stream, negative where it has none. The function only reads a word of the stream, as the closing will, but
 * changes `errno` for a stream without a descriptor, which a program may look at after it has closed one. */
static int of_stream(const struct process *p, u64 stream)
{
    int *error = ((int *(*)(void))p->errno_location)(), kept = *error;
    int number = ((int (*)(u64))p->fileno)(stream);
    *error = kept;
    return number;
}

/* Called where a hooked function begins. */
__attribute__((visibility("default"))) void loopwright_enter(const struct call *call, const u64 *stack, u64 id,
                                                             struct process *process)
{
    if (is_closed()) {
        if (*(cell)AREA_NUMBER)
            *word(WORD_NESTED) += 1;
        return;
    }
    *word(WORD_INSIDE) = 1;
    u64 depth = depth_at(stack);
    if (depth < FRAME_MOST) {
        cell own = begin(depth, stack, id);
        u64 shape = SHAPE(id);
        own[FRAME_DESCRIPTOR] = (u64)(int)call->registers[0];
        switch (shape) {
        case OPEN:
            own[FRAME_FIRST] = call->registers[0];
            own[FRAME_DESCRIPTOR] = call->registers[1] & O_APPEND;
            break;
        case OPEN_AT:
            own[FRAME_FIRST] = call->registers[1];
            own[FRAME_TRANSFERS] = call->registers[2] & O_APPEND;
            break;
        case CREATE:
            own[FRAME_FIRST] = call->registers[0];
            break;
        case READ_AT:
        case WRITE_AT:
            own[FRAME_FIRST] = call->registers[3];
            break;
        case CLOSE_DESCRIPTORS:
            own[FRAME_FIRST] = call->registers[2] & CLOSE_RANGE_CLOEXEC ? 0 : (u64)(unsigned)call->registers[1] + 1;
            break;
        case SEND_FILE:
            own[FRAME_FIRST] = (u64)(int)call->registers[1];
            break;
        case COPY_RANGE:
            own[FRAME_FIRST] = (u64)(int)call->registers[2];
            break;
        case CONTROL:
            own[FRAME_FIRST] = (u64)(int)call->registers[1];
            break;
        case MAP:
            own[FRAME_FIRST] = call->registers[1];
            own[FRAME_DESCRIPTOR] = (u64)(int)call->registers[4];
            break;
        case ELEMENTS:
            own[FRAME_FIRST] = call->registers[1];
            break;
        case ELEMENTS_CHECKED:
            own[FRAME_FIRST] = call->registers[2];
            break;
        case CLOSE_STREAM:
            own[FRAME_DESCRIPTOR] = NOTHING;
            if (process->fileno && process->errno_location && call->registers[0])
                own[FRAME_DESCRIPTOR] = (u64)of_stream(process, call->registers[0]);
            break;
        }
        own[FRAME_BEGIN] = ticks();
    }
    *word(WORD_INSIDE) = 0;
}

/* The call is one of the system: what is called while it is in progress is called by a signal's handler. */
static int is_direct(u64 id)
{
    switch (SHAPE(id)) {
    case OPEN:
    case OPEN_AT:
    case CREATE:
    case READ:
    case READ_AT:
    case WRITE:
    case WRITE_AT:
    case SEND_FILE:
    case COPY_RANGE:
    case SEEK:
    case SYNC:
    case CLOSE:
    case CLOSE_DESCRIPTORS:
    case DUPLICATE:
    case CONTROL:
    case MAP:
        return 1;
    default:
        return 0;
    }
}

/* The outermost call that a call is part of, as the index of its frame. */
static u64 outermost(u64 own)
{
    while (own > 0 && !is_direct(frame(own - 1)[FRAME_FUNCTION]))
        own -= 1;
    return own;
}

/* What a call did to its descriptor and its file; its bytes, NOTHING where they are not known. */
static u64 done(const struct process *p, cell own, cell outer, u64 id, u64 result, u64 spent)
{
    u64 shape = SHAPE(id), number = own[FRAME_DESCRIPTOR], first = own[FRAME_FIRST];
    i64 bytes = (i64)result;
    /* Results of type int leave the upper half as it is. */
    int code = (int)result;
    switch (shape) {
    case OPEN:
    case OPEN_AT:
    case CREATE:
        if (code >= 0) {
            const char *path = (const char *)first;
            /* A folder that the program opened is part of a relative path's name. */
            u64 *folder = shape == OPEN_AT && path[0] != '/' ? descriptor(p, number) : 0;
            int appends = (shape == OPEN ? number : own[FRAME_TRANSFERS]) != 0 && shape != CREATE;
            cell row = opened(p, (u64)code, path, folder ? folder[DESCRIPTOR_FILE] : 0, appends);
            row[FILE_OTHER_TICKS] += spent;
        }
        own[FRAME_TRANSFERS] = 0;
        return 0;
    case READ:
    case READ_AT:
    case WRITE:
    case WRITE_AT:
        transferred(p, number, bytes, shape == READ_AT || shape == WRITE_AT ? first : NOTHING,
                    shape == WRITE || shape == WRITE_AT, spent);
        break;
    case SEND_FILE:
        transferred(p, first, bytes, NOTHING, 0, 0);
        transferred(p, number, bytes, NOTHING, 1, spent);
        break;
    case COPY_RANGE:
        transferred(p, number, bytes, NOTHING, 0, 0);
        transferred(p, first, bytes, NOTHING, 1, spent);
        break;
    case SEEK: {
        u64 *d = descriptor(p, number);
        if (d && bytes >= 0)
            d[DESCRIPTOR_POSITION] = result;
        other(p, number, FILE_SEEKS, 1, spent);
        return 0;
    }
    case SYNC:
        other(p, number, FILE_SYNCS, 1, spent);
        return 0;
    case CLOSE:
        other(p, number, 0, 0, spent);
        forgotten(p, number);
        return 0;
    case CLOSE_DESCRIPTORS:
        for (u64 k = number; code == 0 && k < first && k < DESCRIPTOR_MOST; k++)
            forgotten(p, k);
        return 0;
    case CLOSE_STREAM:
        if (number != NOTHING)
            forgotten(p, number);
        return 0;
    case DUPLICATE:
        if (code >= 0)
            duplicated(p, number, (u64)code);
        return 0;
    case CONTROL:
        if (code >= 0 && (first == F_DUPFD || first == F_DUPFD_CLOEXEC))
            duplicated(p, number, (u64)code);
        return 0;
    case MAP:
        if ((int)number >= 0 && result != NOTHING)
            other(p, number, FILE_MAPPED, first, spent);
        return 0;
    case ELEMENTS:
    case ELEMENTS_CHECKED:
        return result * first;
    case BYTES:
        return code >= 0 ? (u64)code : 0;
    case OTHER:
    case SILENT:
    case OPEN_STREAM:
        return 0;
    default:
        return NOTHING;
    }
    outer[FRAME_TRANSFERS] += 1;
    outer[FRAME_MOVED] += bytes > 0 ? (u64)bytes : 0;
    return bytes > 0 ? (u64)bytes : 0;
}

/* Whether the result is an error. */
static int has_failed(u64 shape, u64 result)
{
    switch (shape) {
    case PLAIN:
    case SILENT:
    case ELEMENTS:
    case ELEMENTS_CHECKED:
        return 0;
    case OPEN_STREAM:
        return result == 0;
    case READ:
    case READ_AT:
    case WRITE:
    case WRITE_AT:
    case SEND_FILE:
    case COPY_RANGE:
    case SEEK:
    case MAP:
        return (i64)result == -1;
    default:
        return (int)result < 0;
    }
}

/* Called where it ends. */
__attribute__((visibility("default"))) void loopwright_exit(const u64 *stack, u64 id, u64 result, struct process *process)
{
    if (is_closed())
        return;
    *word(WORD_INSIDE) = 1;
    u64 now = ticks(), k = end(stack, id);
    if (k > 0) {
        cell own = frame(k - 1);
        u64 outer = outermost(k - 1);
        u64 spent = now - own[FRAME_BEGIN], bytes = done(process, own, frame(outer), id, result, spent);
        /* Memory without a file is no input or output. */
        int anonymous = SHAPE(id) == MAP && (int)own[FRAME_DESCRIPTOR] < 0;
        if (outer == k - 1 && !anonymous) {
            u64 row = row_of(own[FRAME_SITE], NUMBER(id) + 1);
            if (row == LOST) {
                *word(WORD_SITES_LOST) += 1;
            } else {
                cell s = site(row);
                s[SITE_CALLS] += 1;
                s[SITE_FAILED] += has_failed(SHAPE(id), result);
                s[SITE_TRANSFERS] += own[FRAME_TRANSFERS];
                s[SITE_MOVED] += own[FRAME_MOVED];
                spend(s, spent);
                if (bytes == NOTHING) {
                    s[SITE_UNKNOWN] += 1;
                } else {
                    s[SITE_BYTES] += bytes;
                    s[SITE_BINS + bin_of(bytes)] += 1;
                }
            }
        }
    }
    *word(WORD_INSIDE) = 0;
}
