// PROGRAM
//
// Jump tables: an interpreter loop by `switch`, the same by computed `goto`, and a switch outside any loop. The
// control flow must be complete: every case belongs to the loop.

#include <stdio.h>

enum operation { PUSH, ADD, SUB, MUL, DUP, SWAP, DROP, OVER, JUMP_IF, HALT };

// Counts down from its argument and multiplies an accumulator on the way.
static const int program[] = {PUSH, 1, SWAP, DUP, PUSH, 7, ADD, DROP, SWAP, PUSH, 3, MUL, PUSH, 1, ADD, SWAP,
                              PUSH, 1, SUB, DUP, JUMP_IF, 3, DROP, HALT};

__attribute__((noinline)) static unsigned interpret(const int *code, unsigned argument) {
    unsigned stack[16], *top = stack, t;
    *top = argument;
    const int *at = code;
    for (;;) { // LOOP name=interpret class=switch
        switch (*at++) {
        case PUSH: *++top = (unsigned)*at++; break;
        case ADD: top--; top[0] += top[1]; break;
        case SUB: top--; top[0] -= top[1]; break;
        case MUL: top--; top[0] *= top[1]; break;
        case DUP: top[1] = top[0]; top++; break;
        case SWAP: t = top[0]; top[0] = top[-1]; top[-1] = t; break;
        case DROP: top--; break;
        case OVER: top[1] = top[-1]; top++; break;
        case JUMP_IF: at = *top-- ? code + *at : at + 1; break;
        case HALT: return *top;
        default: return ~0u;
        }
    }
}

__attribute__((noinline)) static unsigned threaded(const int *code, unsigned argument) {
    static void *const labels[] = {&&push, &&add, &&sub, &&mul, &&dup, &&swap, &&drop, &&over, &&jump_if, &&halt};
    unsigned stack[16], *top = stack, t;
    *top = argument;
    const int *at = code;
    goto *labels[*at++];
push: *++top = (unsigned)*at++; goto *labels[*at++];
add: top--; top[0] += top[1]; goto *labels[*at++];
sub: top--; top[0] -= top[1]; goto *labels[*at++];
mul: top--; top[0] *= top[1]; goto *labels[*at++];
dup: top[1] = top[0]; top++; goto *labels[*at++];
swap: t = top[0]; top[0] = top[-1]; top[-1] = t; goto *labels[*at++];
drop: top--; goto *labels[*at++];
over: top[1] = top[-1]; top++; goto *labels[*at++];
jump_if: at = *top-- ? code + *at : at + 1; goto *labels[*at++];
halt: return *top;
}

__attribute__((noinline)) static const char *weekday(int day) {
    switch (day) {
    case 0: puts("rest"); return "Sunday";
    case 1: return "Monday";
    case 2: return "Tuesday";
    case 3: return "Wednesday";
    case 4: return "Thursday";
    case 5: puts("nearly"); return "Friday";
    case 6: return "Saturday";
    default: return "never";
    }
}

int main(void) {
    volatile unsigned argument = 100000;
    unsigned one = interpret(program, argument), two = threaded(program, argument);
    printf("interpret %u\nthreaded %u\nday %s\n", one, two, weekday((int)(argument % 7)));
    return one != two;
}
