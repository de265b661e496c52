/* PROGRAM: calls the functions of spanning.s. */
#include <stdio.h>

int covering(int), inner_one(int), inner_two(int), marked(int), falling(int), landing(int), popping(int), skipping(int);

int main(void) {
    long sum = 0;
    for (int i = 0; i < 300; i++)
        sum = sum * 3 + covering(i) + inner_one(i) - inner_two(i) + marked(i) + falling(i) - landing(i) + popping(i) + skipping(i);
    printf("%ld\n", sum);
    return 0;
}
