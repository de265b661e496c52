/* Emulates the small 8-bit processor of a handheld game. The cartridge here
 * fills and filters a frame buffer and keeps a running checksum. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cpu {
    uint8_t r[8];
    uint16_t pc, ptr;
    uint8_t zero, carry;
    uint64_t cycles;
    uint8_t *mem;
} cpu;

/* Runs until the processor halts; returns the number of instructions.
 * The machine state lives in locals and goes back to *c at the end. */
static uint64_t run_until_halt(cpu *c)
{
    uint8_t *const mem = c->mem;
    uint8_t r[8];
    uint16_t pc = c->pc, ptr = c->ptr;
    unsigned zero = c->zero, carry = c->carry;
    uint64_t cycles = c->cycles, count = 0;
    memcpy(r, c->r, sizeof r);

#define FETCH() (cycles++, mem[pc++])
/* each handler dispatches the next instruction itself */
#define NEXT() do { count++; op = FETCH(); goto *label[op & 15]; } while (0)
    static const void *const label[16] = {
        &&halt, &&ldi, &&mov, &&add, &&adc, &&xor, &&shr, &&dec,
        &&jnz, &&setp, &&load, &&store, &&incp, &&halt, &&halt, &&halt
    };
    uint8_t op, a, b, d;
    unsigned v;

    NEXT();
ldi:
    a = FETCH();
    r[a & 7] = FETCH();
    NEXT();
mov:
    a = FETCH();
    r[a >> 4 & 7] = r[a & 7];
    NEXT();
add:
    a = FETCH();
    d = a >> 4 & 7;
    v = (unsigned)r[d] + r[a & 7];
    zero = (v & 0xff) == 0;
    carry = v >> 8;
    r[d] = (uint8_t)v;
    NEXT();
adc:
    a = FETCH();
    d = a >> 4 & 7;
    v = (unsigned)r[d] + r[a & 7] + carry;
    zero = (v & 0xff) == 0;
    carry = v >> 8;
    r[d] = (uint8_t)v;
    NEXT();
xor:
    a = FETCH();
    d = a >> 4 & 7;
    v = r[d] ^ r[a & 7];
    zero = v == 0;
    carry = 0;
    r[d] = (uint8_t)v;
    NEXT();
shr:
    d = FETCH() & 7;
    v = r[d];
    r[d] = (uint8_t)(v >> 1);
    zero = v >> 1 == 0;
    carry = v & 1;
    NEXT();
dec:
    d = FETCH() & 7;
    v = (r[d] - 1u) & 0xff;
    r[d] = (uint8_t)v;
    zero = v == 0;
    NEXT();
jnz:
    a = FETCH();
    b = FETCH();
    if (!zero)
        pc = (uint16_t)(a | b << 8);
    NEXT();
setp:
    a = FETCH();
    b = FETCH();
    ptr = (uint16_t)(a | b << 8);
    NEXT();
load:
    a = FETCH();
    cycles++;
    r[a & 7] = mem[ptr];
    NEXT();
store:
    a = FETCH();
    cycles++;
    mem[ptr] = r[a & 7];
    NEXT();
incp:
    ptr++;
    NEXT();
halt:
    memcpy(c->r, r, sizeof r);
    c->pc = pc;
    c->ptr = ptr;
    c->zero = (uint8_t)zero;
    c->carry = (uint8_t)carry;
    c->cycles = cycles;
    return count;
#undef FETCH
#undef NEXT
}

/* for frame 0..: for row: for column: filter one pixel of the frame buffer */
static const uint8_t cartridge[] = {
    1, 5, 0,            /* 00 ldi r5,0    */
    9, 0x00, 0x40,      /* 03 setp 0x4000 */
    1, 4, 64,           /* 06 ldi r4,64   */
    1, 3, 160,          /* 09 ldi r3,160  */
    10, 0,              /* 12 load r0     */
    2, 0x10,            /* 14 mov r1,r0   */
    6, 1,               /* 16 shr r1      */
    4, 0x12,            /* 18 adc r1,r2   */
    5, 0x13,            /* 20 xor r1,r3   */
    3, 0x21,            /* 22 add r2,r1   */
    4, 0x60,            /* 24 adc r6,r0   */
    11, 1,              /* 26 store r1    */
    12,                 /* 28 incp        */
    7, 3,               /* 29 dec r3      */
    8, 12, 0,           /* 31 jnz 12      */
    7, 4,               /* 34 dec r4      */
    8, 9, 0,            /* 36 jnz 9       */
    7, 5,               /* 39 dec r5      */
    8, 3, 0,            /* 41 jnz 3       */
    0                   /* 44 halt        */
};

int main(void)
{
    cpu c;
    memset(&c, 0, sizeof c);
    c.mem = calloc(65536, 1);
    memcpy(c.mem, cartridge, sizeof cartridge);
    for (int i = 0; i < 64 * 160; i++)
        c.mem[0x4000 + i] = (uint8_t)(i * 7 + (i >> 5));

    uint64_t instructions = 0;
    for (int run = 0; run < 6; run++) {
        c.pc = 0;
        instructions += run_until_halt(&c);
    }

    uint32_t hash = 2166136261u;
    for (int i = 0; i < 65536; i++)
        hash = (hash ^ c.mem[i]) * 16777619u;
    printf("instructions %llu cycles %llu\n", (unsigned long long)instructions,
           (unsigned long long)c.cycles);
    printf("registers %d %d %d %d\n", c.r[0], c.r[1], c.r[2], c.r[6]);
    printf("memory %08x\n", hash);
    free(c.mem);
    return 0;
}
