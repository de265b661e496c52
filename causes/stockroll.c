/* Warehouse roll-over: once a week the value of all stock items is computed
   anew; items that run out are put on the order list (few do). */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>

struct item { int64_t qty, price, value; int32_t code, shelf; int64_t sold[2]; };

static int64_t orders[64];
static unsigned norders;

static inline void reorder(struct item *it)
{
    orders[norders++ & 63] = it->code;
    it->qty += 5000;
}

static void week(struct item *it, long n, int64_t use)
{
    for (long i = 0; i < n; i++) {
        it[i].qty -= use;
        if (__builtin_expect(it[i].qty < 0, 0))
            reorder(&it[i]);
        it[i].value = it[i].qty + it[i].price;
    }
}

int main(void)
{
    long n = 4000000;
    struct item *it = malloc(n * sizeof *it);
    int64_t sum = 0;
    if (!it)
        return 1;
    for (long i = 0; i < n; i++) {
        it[i] = (struct item){ .qty = i % 4001, .price = i % 77, .code = (int32_t)i };
    }
    for (int w = 0; w < 140; w++)
        week(it, n, 1 + w % 3);
    for (long i = 0; i < n; i++)
        sum += it[i].value;
    for (int i = 0; i < 64; i++)
        sum ^= orders[i] << i % 8;
    printf("stock %lld orders %u\n", (long long)sum, norders);
    return 0;
}
