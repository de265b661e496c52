/* The vector triad: three streams in, one out. Out of cache, or with --cached 1 in cache; --sweep 1 tries places of `a`. */
#include "case.h"
#include "triad.h"

#include <sys/mman.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, CACHED = 1024 };

struct arrays {
    void *memory;
    double *a, *b, *c, *d;
};

/* Untouched memory that begins a page: in large pages where there are any, so that touching it takes little of the time. */
static char *pages(size_t bytes)
{
    size_t whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *memory = aligned_alloc(HUGE_PAGE, whole);
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", whole);
        exit(1);
    }
    madvise(memory, whole, MADV_HUGEPAGE);
    return memory;
}

/* Each array begins at a different quarter of a page, so that loads and stores do not alias; then `a` is placed `ahead`
 * bytes behind b's place in the page, and `shift` elements further. */
static struct arrays make(size_t n, size_t ahead, size_t shift)
{
    size_t bytes = (n * sizeof(double) + 3 * PAGE) / PAGE * PAGE;
    char *page = pages(4 * bytes);
    size_t place = (ahead ? ahead : 3 * PAGE / 4) + shift * sizeof(double);
    struct arrays new = { page, (double *)(page + place), (double *)(page + bytes),
                          (double *)(page + 2 * bytes + PAGE / 4), (double *)(page + 3 * bytes + PAGE / 2) };
    memset(new.a, 0, n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        new.b[i] = (double)(i % 64);
        new.c[i] = 1 + (double)(i % 32) / 32;
        new.d[i] = 0.5;
    }
    return new;
}

static double passing(struct arrays x, size_t n, long passes)
{
    double start = case_seconds();
    for (long pass = 0; pass < passes; pass++)
        triad(x.a, x.b, x.c, x.d, n);
    return case_seconds() - start;
}

static double gbytes(struct arrays x)
{
    const long passes = 20000;
    passing(x, CACHED, 1000);
    return 32e-9 * CACHED * (double)passes / passing(x, CACHED, passes);
}

/* GB/s in cache for places of `a` in its page (8 to 64 bytes behind b's: its stores meet the next loads from b in the low
 * twelve bits of the address), then for its places in a line. */
static void sweep(void)
{
    for (size_t ahead = 8; ahead <= PAGE; ahead += ahead < 64 ? 8 : ahead < 512 ? 32 : 512) {
        struct arrays x = make(CACHED, ahead, 0);
        printf("a %4zu bytes behind b's place in the page: %6.1f GB/s\n", ahead, gbytes(x));
        free(x.memory);
    }
    for (size_t shift = 0; shift < 8; shift++) {
        struct arrays x = make(CACHED, 0, shift);
        printf("a %2zu bytes behind the begin of a line: %6.1f GB/s\n", 8 * shift, gbytes(x));
        free(x.memory);
    }
}

int main(int argc, char **argv)
{
    size_t n = (size_t)case_option(argc, argv, "--n", 4096) / 64 * 64;
    long passes = case_option(argc, argv, "--passes", 2);
    size_t ahead = (size_t)case_option(argc, argv, "--ahead", 0), shift = (size_t)case_option(argc, argv, "--shift", 0);
    if (ahead > PAGE || ahead % 8 || shift > 7) {
        fprintf(stderr, "%s: --ahead is a multiple of 8 up to a page, --shift less than a line\n", argv[0]);
        return 2;
    }
    if (case_option(argc, argv, "--sweep", 0)) {
        sweep();
        return 0;
    }
    if (case_option(argc, argv, "--cached", 0)) {
        /* The same total number of elements, or more where it is small. */
        passes = passes * (long)(n / CACHED) + passes;
        n = CACHED;
    }
    struct arrays x = make(n, ahead, shift);
    double seconds = passing(x, n, passes);

    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x.a[i];
    double elements = (double)n * (double)passes;
    case_print("seconds", seconds);
    case_print("flop", 2 * elements);
    case_print("bytes", 32 * elements);
    case_print("working_set", 32.0 * (double)n);
    case_print("mean", n ? sum / (double)n : 0);
    free(x.memory);
    return 0;
}
