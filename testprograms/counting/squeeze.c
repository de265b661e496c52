// PROGRAM
//
// Code of the kind that real programs have: a Lempel-Ziv compressor with hash chains, its inverse and a checksum, over
// generated text. Writes squeezed.bin into the working directory. Usage: squeeze [expect] [BYTES].
// Prints to standard error how many literals and matches it found.

#include "expect.h"
#include <stddef.h>
#include <stdint.h>

enum { HASH_BITS = 9, WINDOW = 1 << 14, SHORTEST = 4, LONGEST = 258, CHAIN = 16 };

static long literals, matches, matched_bytes;

KERNEL uint32_t checksum(const uint8_t *data, size_t n) {
    KEEP;
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < n; i++) { // LOOP name=checksum class=recurrence
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

KERNEL void put_literal(uint8_t **out, uint8_t byte) {
    KEEP;
    *(*out)++ = 0;
    *(*out)++ = byte;
    literals++;
}
KERNEL void put_match(uint8_t **out, size_t length, size_t distance) {
    KEEP;
    *(*out)++ = 1;
    *(*out)++ = (uint8_t)(length - SHORTEST);
    *(*out)++ = (uint8_t)(distance & 255);
    *(*out)++ = (uint8_t)(distance >> 8);
    matches++;
    matched_bytes += (long)length;
}

static uint32_t hash_of(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word * 2654435761u >> (32 - HASH_BITS);
}

KERNEL size_t longest_match(const uint8_t *data, size_t at, size_t end, long candidate, const int32_t *previous,
                            size_t *distance) {
    KEEP;
    size_t best = 0;
    for (int chain = 0; candidate >= 0 && chain < CHAIN && at - (size_t)candidate < WINDOW; chain++) {
        size_t limit = end - at < LONGEST ? end - at : LONGEST, length = 0;
        while (length < limit && data[(size_t)candidate + length] == data[at + length]) length++;
        if (length > best) {
            best = length;
            *distance = at - (size_t)candidate;
            if (length == limit) break;
        }
        candidate = previous[candidate];
    }
    return best;
}

KERNEL size_t compress(const uint8_t *data, size_t n, uint8_t *out, int32_t *head, int32_t *previous) {
    KEEP;
    uint8_t *to = out;
    for (int i = 0; i < 1 << HASH_BITS; i++) head[i] = -1;
    for (size_t at = 0; at < n;) {
        size_t distance = 0, length = 0;
        if (n - at >= SHORTEST) length = longest_match(data, at, n, head[hash_of(data + at)], previous, &distance);
        size_t step = length >= SHORTEST ? length : 1;
        if (step > 1)
            put_match(&to, length, distance);
        else
            put_literal(&to, data[at]);
        for (size_t end = at + step; at < end; at++)
            if (n - at >= SHORTEST) {
                uint32_t slot = hash_of(data + at);
                previous[at] = head[slot];
                head[slot] = (int32_t)at;
            }
    }
    return (size_t)(to - out);
}

KERNEL size_t expand(const uint8_t *in, size_t n, uint8_t *out) {
    KEEP;
    uint8_t *to = out;
    for (size_t at = 0; at < n;) {
        switch (in[at]) {
        case 0: *to++ = in[at + 1]; at += 2; break;
        default: {
            size_t length = in[at + 1] + (size_t)SHORTEST, distance = in[at + 2] | (size_t)in[at + 3] << 8;
            for (size_t i = 0; i < length; i++, to++) *to = to[-(ptrdiff_t)distance];
            at += 4;
        }
        }
    }
    return (size_t)(to - out);
}

int main(int argc, char **argv) {
    int ask = asked(&argc, argv);
    long bytes = argument(argc, argv, 1, 6000);
    if (ask) {
        printf("function checksum calls=2\nloop checksum entries=2 iterations=%ld min=%ld max=%ld\n", 2 * bytes, bytes, bytes);
        printf("function compress calls=1\nfunction expand calls=1\n");
        return 0;
    }
    size_t n = (size_t)bytes;
    uint8_t *data = malloc(n), *packed = malloc(4 * n + 16), *again = malloc(n + LONGEST);
    int32_t *head = malloc(sizeof *head << HASH_BITS), *previous = malloc(sizeof *previous * n);
    if (!data || !packed || !again || !head || !previous) return 1;
    static const char *const words[] = {"loop ", "count ", "the ", "exact ", "of ", "binary ", "and ", "\n"};
    uint32_t state = 1;
    for (size_t i = 0; i < n;) {
        state = state * 1664525u + 1013904223u;
        for (const char *w = words[state >> 29]; *w && i < n; w++) data[i++] = (uint8_t)*w;
        if ((state >> 20 & 7) == 0 && i < n) data[i++] = (uint8_t)('0' + (state >> 12 & 15));
    }
    size_t size = compress(data, n, packed, head, previous);
    FILE *file = fopen("squeezed.bin", "wb");
    if (!file || fwrite(packed, 1, size, file) != size || fclose(file)) return 1;
    size_t back = expand(packed, size, again);
    printf("%zu bytes, %zu packed, %08x %08x\n", n, size, checksum(data, n), checksum(again, back));
    fprintf(stderr, "expect function put_literal calls=%ld\nexpect function put_match calls=%ld\n", literals, matches);
    return back != n || memcmp(data, again, n) != 0 || literals + matched_bytes != bytes;
}
