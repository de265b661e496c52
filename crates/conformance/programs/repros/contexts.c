/* PROGRAM: switches between stacks with Boost.Context's hand-written jump_fcontext. */
#include <stdio.h>
#include <stdlib.h>

typedef void *context;
struct transfer {
    context from;
    void *value;
};
extern context make_fcontext(void *top, size_t size, void (*entry)(struct transfer));
extern struct transfer jump_fcontext(context to, void *value);

static void sums(struct transfer t) {
    long sum = 0;
    for (;;) {
        sum += (long)t.value;
        t = jump_fcontext(t.from, (void *)sum);
    }
}

int main(void) {
    char *stack = malloc(65536);
    struct transfer t = {make_fcontext(stack + 65536, 65536, sums), 0};
    for (long i = 1; i < 2000; i++) {
        t = jump_fcontext(t.from, (void *)i);
        if (i % 500 == 0)
            printf("%ld\n", (long)t.value);
    }
    return 0;
}
