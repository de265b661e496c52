/* Emulates the small 8-bit processor of a handheld game. The cartridge here
 * fills and filters a frame buffer and keeps a running checksum. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cpu cpu;
typedef void (*handler)(cpu *c);

struct cpu {
    uint8_t r[8];
    uint16_t pc, ptr;
    uint8_t zero, carry, halted;
    uint64_t cycles;
    uint8_t *mem;
    handler table[16];
};

static uint8_t read8(cpu *c, uint16_t addr)
{
    c->cycles += 1;
    return c->mem[addr];
}

static void write8(cpu *c, uint16_t addr, uint8_t v)
{
    c->cycles += 1;
    c->mem[addr] = v;
}

static uint8_t fetch(cpu *c)
{
    uint8_t v = read8(c, c->pc);
    c->pc++;
    return v;
}

static void set_flags(cpu *c, unsigned v)
{
    c->zero = (v & 0xff) == 0;
    c->carry = v > 0xff;
}

static void op_halt(cpu *c) { c->halted = 1; }

static void op_ldi(cpu *c)
{
    uint8_t reg = fetch(c);
    c->r[reg & 7] = fetch(c);
}

static void op_mov(cpu *c)
{
    uint8_t regs = fetch(c);
    c->r[regs >> 4 & 7] = c->r[regs & 7];
}

static void op_add(cpu *c)
{
    uint8_t regs = fetch(c), d = regs >> 4 & 7;
    unsigned v = (unsigned)c->r[d] + c->r[regs & 7];
    set_flags(c, v);
    c->r[d] = (uint8_t)v;
}

static void op_adc(cpu *c)
{
    uint8_t regs = fetch(c), d = regs >> 4 & 7;
    unsigned v = (unsigned)c->r[d] + c->r[regs & 7] + c->carry;
    set_flags(c, v);
    c->r[d] = (uint8_t)v;
}

static void op_xor(cpu *c)
{
    uint8_t regs = fetch(c), d = regs >> 4 & 7;
    unsigned v = c->r[d] ^ c->r[regs & 7];
    set_flags(c, v);
    c->r[d] = (uint8_t)v;
}

static void op_shr(cpu *c)
{
    uint8_t d = fetch(c) & 7, v = c->r[d];
    c->r[d] = v >> 1;
    c->zero = c->r[d] == 0;
    c->carry = v & 1;
}

static void op_dec(cpu *c)
{
    uint8_t d = fetch(c) & 7;
    c->r[d]--;
    c->zero = c->r[d] == 0;
}

static void op_jnz(cpu *c)
{
    uint8_t lo = fetch(c), hi = fetch(c);
    if (!c->zero)
        c->pc = (uint16_t)(lo | hi << 8);
}

static void op_setp(cpu *c)
{
    uint8_t lo = fetch(c), hi = fetch(c);
    c->ptr = (uint16_t)(lo | hi << 8);
}

static void op_load(cpu *c) { c->r[fetch(c) & 7] = read8(c, c->ptr); }

static void op_store(cpu *c)
{
    uint8_t d = fetch(c) & 7;
    write8(c, c->ptr, c->r[d]);
}

static void op_incp(cpu *c) { c->ptr++; }

static void step(cpu *c)
{
    uint8_t op = fetch(c);
    c->table[op & 15](c);
}

static const handler handlers[13] = {
    op_halt, op_ldi, op_mov, op_add, op_adc, op_xor, op_shr,
    op_dec, op_jnz, op_setp, op_load, op_store, op_incp
};

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
    for (int i = 0; i < 16; i++)
        c.table[i] = i < 13 ? handlers[i] : op_halt;
    memcpy(c.mem, cartridge, sizeof cartridge);
    for (int i = 0; i < 64 * 160; i++)
        c.mem[0x4000 + i] = (uint8_t)(i * 7 + (i >> 5));

    uint64_t instructions = 0;
    for (int run = 0; run < 6; run++) {
        c.pc = 0;
        c.halted = 0;
        while (!c.halted) {
            step(&c);
            instructions++;
        }
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
