/* Prints the Fletcher-4 checksum of a file, as ZFS computes it of a block, in pieces and in constant memory.
 *
 *   checksum FILE
 */
#include <loopwright_kernels.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static unsigned char piece[1 << 16];
    lw_fletcher4_sums sums = {{0, 0, 0, 0}};
    FILE *file;
    size_t length;

    if (argc != 2) {
        fprintf(stderr, "usage: checksum FILE\n");
        return 2;
    }
    file = fopen(argv[1], "rb");
    if (!file) {
        perror(argv[1]);
        return 1;
    }
    while ((length = fread(piece, 1, sizeof piece, file)) > 0) {
        /* The last word is filled up with zeros. */
        while (length % 4 != 0)
            piece[length++] = 0;
        if (lw_fletcher4_update(&sums, piece, length) != LW_OK) {
            fprintf(stderr, "%s: %s\n", argv[1], lw_last_error());
            return 1;
        }
    }
    if (ferror(file)) {
        perror(argv[1]);
        return 1;
    }
    fclose(file);
    printf("%llx:%llx:%llx:%llx %s (%s)\n", (unsigned long long)sums.words[0], (unsigned long long)sums.words[1],
           (unsigned long long)sums.words[2], (unsigned long long)sums.words[3], argv[1], lw_isa_name(lw_isa_best()));
    return 0;
}
