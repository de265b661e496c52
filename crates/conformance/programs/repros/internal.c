/* PROGRAM: calls the functions of internal.s. */
#include <stdio.h>

long exchanging(long *, long *);
int through_r10(int), through_rsi(int), through_r11(int), through_rcx(int), through_carry(int);
int header_on_flags(const int *);

int main(void) {
    long a = 1, b = 2, sum = 0;
    for (int i = 0; i < 10; i++)
        sum += exchanging(&a, &b);
    int r10 = 0, rsi = 0, r11 = 0, rcx = 0, carry = 0, header = 0;
    for (int i = 1; i <= 5; i++) {
        r10 += through_r10(i * 3);
        rsi += through_rsi(i * 3);
        r11 += through_r11(i * 3);
        rcx += through_rcx(i * 3);
        carry += through_carry(i);
    }
    for (int i = 0; i < 1000; i++) {
        int bounds[2] = {i % 5, 1};
        header += header_on_flags(bounds);
    }
    printf("%ld %d %d %d %d %d %d\n", sum, r10, rsi, r11, rcx, carry, header);
    return 0;
}
