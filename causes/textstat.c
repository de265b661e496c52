/* Indexer: counts letters, digits and blanks of a text, eight bytes at a
   time; words with bytes outside ASCII take a slow path. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
enum { BYTES = 16368, DOCS = 800000 };
#define REP(b) (0x0101010101010101ull * (b))
struct stat { uint64_t letter, digit, blank, other; };
static char text[BYTES];
static uint64_t fold(uint64_t v) {
    v = (v & 0x00ff00ff00ff00ffull) + (v >> 8 & 0x00ff00ff00ff00ffull);
    return v * 0x0001000100010001ull >> 48;
}
static void slow(struct stat *st, uint64_t w) {
    for (int k = 0; k < 8; k++) st->other += (w >> (8 * k) & 0x80) != 0;
}
static void __attribute__((noinline)) count(struct stat *st, const char *p, long n) {
    while (n) {
        uint64_t nl = 0, nd = 0, nb = 0;
        for (const char *e = p + 31 * 8; p < e; p += 8) {
            uint64_t w;
            memcpy(&w, p, 8);
            if (w & REP(0x80)) { slow(st, w); continue; }
            uint64_t l = w | REP(0x20);
            l = (l + REP(0x80 - 'a')) & ~(l + REP(0x7f - 'z'));
            uint64_t d = (w + REP(0x80 - '0')) & ~(w + REP(0x7f - '9'));
            uint64_t b = ~((w ^ REP(0x20)) + REP(0x7f));
            nl += l >> 7 & REP(1);
            nd += d >> 7 & REP(1);
            nb += b >> 7 & REP(1);
        }
        st->letter += fold(nl);
        st->digit += fold(nd);
        st->blank += fold(nb);
        n -= 31 * 8;
    }
}
int main(void) {
    struct stat st = {0, 0, 0, 0};
    uint32_t s = 1;
    for (int i = 0; i < BYTES; i++) {
        s = s * 1664525u + 1013904223u;
        text[i] = "etaoin shrdlu 0123 ETA 456789.,;"[s >> 27];
    }
    text[5000] = (char)0xc3;
    text[11000] = (char)0xe2;
    for (int d = 0; d < DOCS; d++) {
        text[d % 4096] = "a 7."[d & 3];
        count(&st, text, BYTES);
    }
    printf("textstat %llu %llu %llu %llu\n", (unsigned long long)st.letter, (unsigned long long)st.digit,
           (unsigned long long)st.blank, (unsigned long long)st.other);
    return 0;
}
