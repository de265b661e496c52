/* Order book replay: the orders of one price level hang in a list in the
   order of arrival; the open volume is added up along the list. */
#include <stdio.h>
#include <stdlib.h>
#define N (1u << 22)
#define WALK 11000000
struct order { struct order *next; long volume; int trader, flags; double price; long pad[4]; };
int main(void)
{
    struct order *pool = malloc(sizeof *pool * (size_t)N);
    if (!pool)
        return 1;
    for (unsigned i = 0; i < N; i++) {
        unsigned j = (i * 2891336453u + 907633385u) & (N - 1);
        unsigned k = (j ^ (j >> 11)) & (N - 1);
        unsigned m = (i ^ (i >> 11)) & (N - 1);
        pool[m].next = &pool[k];
        pool[m].volume = i % 500;
        pool[m].flags = i & 3;
    }
    long open = 0;
    struct order *o = pool;
    for (long n = 0; n < WALK; n++) {
        open += o->volume;
        o = o->next;
    }
    printf("%ld %d\n", open, o->flags);
    free(pool);
    return 0;
}
