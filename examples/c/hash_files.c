/* Prints the SHA-256 of files, as sha256sum does. Files are read in pieces; the pieces of all files are hashed side by side, in
 * constant memory per file.
 *
 *   hash_files FILE..
 */
#include <loopwright_kernels.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECE = 1 << 16 };

struct reader {
    FILE *file;
    lw_hash_context *context;
    unsigned char piece[PIECE];
    lw_hash_job done;
};

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, lw_last_error());
    return 1;
}

/* Submits the next piece of a file; the tag is the file's number. */
static int submit(lw_hash_scheduler *scheduler, struct reader *reader, uint64_t tag)
{
    size_t length = fread(reader->piece, 1, PIECE, reader->file);
    if (length == PIECE)
        return lw_hash_scheduler_update(scheduler, tag, reader->context, reader->piece, length) != LW_OK;
    return lw_hash_scheduler_finish(scheduler, tag, reader->context, reader->piece, length) != LW_OK;
}

int main(int argc, char **argv)
{
    struct reader *readers;
    lw_hash_scheduler *scheduler;
    lw_hash_job job;
    int i, left = argc - 1, status = 0;
    size_t byte;

    if (argc < 2) {
        fprintf(stderr, "usage: hash_files FILE..\n");
        return 2;
    }
    readers = calloc((size_t)left, sizeof *readers);
    if (!readers || lw_hash_scheduler_new(LW_SHA256, &scheduler) != LW_OK)
        return fail("hash_files");
    for (i = 0; i < argc - 1; i++) {
        readers[i].file = fopen(argv[i + 1], "rb");
        if (!readers[i].file) {
            perror(argv[i + 1]);
            return 1;
        }
        if (lw_hash_context_new(LW_SHA256, &readers[i].context) != LW_OK || submit(scheduler, &readers[i], (uint64_t)i))
            return fail(argv[i + 1]);
    }
    while (left > 0) {
        if (lw_hash_scheduler_completed(scheduler, &job) != LW_OK)
            return fail("hash_files");
        if (job.outcome == LW_HASH_NONE) {
            /* All files have a piece with the scheduler: no more come before these are done. */
            if (lw_hash_scheduler_flush(scheduler) != LW_OK)
                return fail("hash_files");
        } else if (job.outcome == LW_HASH_PIECE) {
            if (submit(scheduler, &readers[job.tag], job.tag))
                return fail(argv[job.tag + 1]);
        } else {
            readers[job.tag].done = job;
            left--;
        }
    }
    lw_hash_scheduler_free(scheduler);
    for (i = 0; i < argc - 1; i++) {
        if (ferror(readers[i].file)) {
            fprintf(stderr, "%s: cannot be read\n", argv[i + 1]);
            status = 1;
        } else {
            for (byte = 0; byte < readers[i].done.digest_bytes; byte++)
                printf("%02x", readers[i].done.digest[byte]);
            printf("  %s\n", argv[i + 1]);
        }
        lw_hash_context_free(readers[i].context);
        fclose(readers[i].file);
    }
    free(readers);
    return status;
}
