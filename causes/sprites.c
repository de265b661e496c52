/* Game engine: the records of a pool of sprites are reset at the start of
   each scene. */
#include <stdint.h>
#include <stdio.h>
#define N 256
#define ROUNDS 8000000
struct sprite {
    uint32_t scene; uint16_t frame; uint16_t pad0; uint64_t owner; uint8_t layer, pad1[7];
    uint32_t x, pad2; uint16_t y, pad3[3]; uint64_t tint; uint8_t alpha, pad4[15];
};
static struct sprite pool[N];
int main(void)
{
    uint64_t s = 0;
    for (uint32_t r = 0; r < ROUNDS; r++) {
        uint32_t x = r * 3;
        uint64_t tint = r ^ 0xffeeull;
        for (int i = 0; i < N; i++) {
            struct sprite *p = &pool[i];
            p->scene = r;
            p->frame = (uint16_t)r;
            p->owner = tint;
            p->layer = (uint8_t)r;
            p->x = x;
            p->y = (uint16_t)x;
            p->tint = tint;
            p->alpha = (uint8_t)x;
        }
        const struct sprite *q = &pool[r % N];
        s += q->scene + q->frame + q->owner + q->layer + q->x + q->y + q->tint + q->alpha;
    }
    printf("%llu\n", (unsigned long long)s);
    return 0;
}
