/* Duplicate detection in a mail archive: every message body is reduced to a
   64-bit digest, digests are looked up in a small open-addressed table. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#ifndef PASSES
#define PASSES 110000
#endif
#define MSGS 16
#define MSGLEN 1500

static uint64_t digest(const unsigned char *p, size_t n)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < n; i++) {
        h ^= p[i];
        h *= 0x100000001b3ull;
    }
    return h;
}

int main(void)
{
    unsigned char *box = malloc(MSGS * MSGLEN);
    uint64_t *seen = calloc(1024, sizeof *seen);
    uint32_t r = 99;
    for (int i = 0; i < MSGS * MSGLEN; i++) {
        r = r * 1103515245u + 12345u;
        box[i] = 32 + (r >> 16) % 95;
    }
    unsigned dup = 0;
    uint64_t mix = 0;
    for (int p = 0; p < PASSES; p++)
        for (int m = 0; m < MSGS; m++) {
            unsigned char *msg = box + m * MSGLEN;
            memcpy(msg, &p, sizeof p);
            uint64_t d = digest(msg, MSGLEN);
            mix = (mix << 1 | mix >> 63) ^ d;
            if (seen[d & 1023] == d) dup++;
            seen[d & 1023] = d;
        }
    printf("mailroom %016llx %u\n", (unsigned long long)mix, dup);
    free(box); free(seen);
    return 0;
}
