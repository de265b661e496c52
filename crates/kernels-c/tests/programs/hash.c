/* Digests of messages, whole, in pieces and by a scheduler; what is refused. Exits with 1 when something is wrong. */
#include "expect.h"
#include <stdlib.h>

#define MESSAGES 40

static const struct {
    uint32_t algorithm;
    size_t bytes;
    const char *abc;
} KNOWN[] = {
    {LW_MD5, 16, "900150983cd24fb0d6963f7d28e17f72"},
    {LW_SHA1, 20, "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {LW_SHA256, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {LW_SHA512, 64,
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
     "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
};

static const char *hex(const uint8_t *bytes, size_t count)
{
    static char text[129];
    size_t i;
    for (i = 0; i < count; i++)
        sprintf(text + 2 * i, "%02x", bytes[i]);
    return text;
}

/* Messages of unequal lengths by every way there is. */
static void agree(uint32_t algorithm, size_t size)
{
    static unsigned char data[1 << 16];
    lw_hash_message messages[MESSAGES];
    lw_hash_context *contexts[MESSAGES];
    lw_hash_scheduler *scheduler = NULL;
    lw_hash_job job;
    uint8_t digests[MESSAGES * 64], digest[64];
    size_t i, done = 0, pieces = 0;

    for (i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 31 + i / 256);
    for (i = 0; i < MESSAGES; i++) {
        messages[i].data = data + i;
        messages[i].length = i * i * 37 % 60000;
    }
    EXPECT(lw_hash_many(algorithm, messages, MESSAGES, digests, MESSAGES * size) == LW_OK);
    for (i = 0; i < MESSAGES; i++) {
        EXPECT(lw_hash(algorithm, messages[i].data, messages[i].length, digest, size) == LW_OK);
        EXPECT(memcmp(digest, digests + i * size, size) == 0);
    }
    EXPECT(lw_hash_many_with(LW_ISA_SCALAR, algorithm, messages, 3, digest, 0) == LW_ERROR_LENGTH);

    /* Whole messages. */
    EXPECT(lw_hash_scheduler_new(algorithm, &scheduler) == LW_OK);
    for (i = 0; i < MESSAGES; i++)
        EXPECT(lw_hash_scheduler_submit(scheduler, i, messages[i].data, messages[i].length) == LW_OK);
    EXPECT(lw_hash_scheduler_flush(scheduler) == LW_OK && lw_hash_scheduler_pending(scheduler) == 0);
    while (lw_hash_scheduler_completed(scheduler, &job) == LW_OK && job.outcome != LW_HASH_NONE) {
        EXPECT(job.outcome == LW_HASH_DIGEST && job.digest_bytes == size);
        EXPECT(memcmp(job.digest, digests + job.tag * size, size) == 0);
        done++;
    }
    EXPECT(done == MESSAGES);

    /* In two pieces. */
    for (i = 0; i < MESSAGES; i++) {
        EXPECT(lw_hash_context_new(algorithm, &contexts[i]) == LW_OK);
        EXPECT(lw_hash_scheduler_update(scheduler, i, contexts[i], messages[i].data, messages[i].length / 3) == LW_OK);
        REFUSED(lw_hash_context_update(contexts[i], "", 0), LW_ERROR_STATE, "with a scheduler");
        REFUSED(lw_hash_scheduler_update(scheduler, i, contexts[i], "", 0), LW_ERROR_STATE, "with a scheduler");
        REFUSED(lw_hash_context_reset(contexts[i]), LW_ERROR_STATE, "with a scheduler");
    }
    EXPECT(lw_hash_scheduler_flush(scheduler) == LW_OK);
    for (done = 0; done < MESSAGES;) {
        EXPECT(lw_hash_scheduler_completed(scheduler, &job) == LW_OK);
        i = (size_t)job.tag;
        if (job.outcome == LW_HASH_PIECE) {
            size_t third = messages[i].length / 3;
            const unsigned char *rest = (const unsigned char *)messages[i].data + third;
            pieces++;
            EXPECT(lw_hash_scheduler_finish(scheduler, i, contexts[i], rest, messages[i].length - third) == LW_OK);
            REFUSED(lw_hash_context_digest(contexts[i], digest, size), LW_ERROR_STATE, "is finished");
            /* A context can be given back, or used for another message, at once. */
            if (i % 2 == 0)
                lw_hash_context_free(contexts[i]);
            else
                EXPECT(lw_hash_context_reset(contexts[i]) == LW_OK);
        } else if (job.outcome == LW_HASH_DIGEST) {
            EXPECT(memcmp(job.digest, digests + i * size, size) == 0);
            done++;
        } else {
            EXPECT(lw_hash_scheduler_pending(scheduler) > 0);
            EXPECT(lw_hash_scheduler_flush(scheduler) == LW_OK);
        }
    }
    EXPECT(pieces == MESSAGES);
    for (i = 1; i < MESSAGES; i += 2) {
        EXPECT(lw_hash_context_update(contexts[i], "abc", 3) == LW_OK);
        EXPECT(lw_hash_context_digest(contexts[i], digest, size) == LW_OK);
        EXPECT(lw_hash(algorithm, "abc", 3, digests, size) == LW_OK && memcmp(digest, digests, size) == 0);
    }

    /* Freed with jobs: contexts and their scheduler in any order. */
    EXPECT(lw_hash_scheduler_update(scheduler, 0, contexts[1], data, 1000) == LW_OK);
    EXPECT(lw_hash_scheduler_update(scheduler, 0, contexts[3], data, 1000) == LW_OK);
    lw_hash_context_free(contexts[1]);
    lw_hash_scheduler_free(scheduler);
    for (i = 3; i < MESSAGES; i += 2)
        lw_hash_context_free(contexts[i]);
}

int main(void)
{
    uint8_t digest[64], buffer[64] = {0};
    lw_hash_context *context = NULL, *copy = NULL;
    lw_hash_scheduler *scheduler = NULL;
    lw_hash_message message = {buffer, 64};
    size_t i;

    for (i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++) {
        uint32_t algorithm = KNOWN[i].algorithm, isa;
        size_t size = KNOWN[i].bytes;
        EXPECT(lw_hash_digest_bytes(algorithm) == size);
        for (isa = 0; isa <= lw_isa_best(); isa++) {
            EXPECT(lw_hash_with(isa, algorithm, "abc", 3, digest, size) == LW_OK);
            EXPECT(strcmp(hex(digest, size), KNOWN[i].abc) == 0);
            EXPECT(lw_hash_context_new_with(isa, algorithm, &context) == LW_OK);
            EXPECT(lw_hash_context_update(context, "a", 1) == LW_OK);
            EXPECT(lw_hash_context_copy(context, &copy) == LW_OK);
            EXPECT(lw_hash_context_update(context, "x", 1) == LW_OK);
            EXPECT(lw_hash_context_update(copy, "bc", 2) == LW_OK && lw_hash_context_update(copy, NULL, 0) == LW_OK);
            lw_hash_context_free(context);
            EXPECT(lw_hash_context_digest(copy, digest, size) == LW_OK);
            EXPECT(strcmp(hex(digest, size), KNOWN[i].abc) == 0);
            lw_hash_context_free(copy);
        }
        agree(algorithm, size);
    }

    EXPECT(lw_hash_digest_bytes(4) == 0);
    EXPECT(lw_hash_many(LW_MD5, NULL, 0, NULL, 0) == LW_OK);
    REFUSED(lw_hash(4, "abc", 3, digest, 16), LW_ERROR_VALUE, "4 is no hash function");
    REFUSED(lw_hash_with(9, LW_MD5, "abc", 3, digest, 16), LW_ERROR_ISA_UNKNOWN, "9 is no instruction-set level");
    REFUSED(lw_hash(LW_MD5, NULL, 3, digest, 16), LW_ERROR_NULL, "data is null");
    REFUSED(lw_hash(LW_MD5, "abc", 3, NULL, 16), LW_ERROR_NULL, "digest is null");
    REFUSED(lw_hash(LW_MD5, "abc", 3, digest, 20), LW_ERROR_LENGTH, "digest has 20 bytes where 16 are written");
    REFUSED(lw_hash(LW_MD5, buffer, SIZE_MAX, digest, 16), LW_ERROR_LENGTH, "more than a process can have");
    REFUSED(lw_hash(LW_MD5, buffer, 64, buffer + 60, 16), LW_ERROR_OVERLAP, "digest overlaps");
    REFUSED(lw_hash_many(LW_MD5, &message, 1, buffer, 16), LW_ERROR_OVERLAP, "digests overlaps");
    REFUSED(lw_hash_many(LW_MD5, &message, 1, digest, 15), LW_ERROR_LENGTH, "digests has 15 bytes where 16");
    REFUSED(lw_hash_many(LW_MD5, NULL, 1, digest, 16), LW_ERROR_NULL, "messages is null");
    REFUSED(lw_hash_many(LW_MD5, &message, SIZE_MAX / 8, digest, 16), LW_ERROR_LENGTH, "more than a process can have");
    message.data = NULL;
    REFUSED(lw_hash_many(LW_MD5, &message, 1, digest, 16), LW_ERROR_NULL, "data is null");
    REFUSED(lw_hash_context_new(7, &context), LW_ERROR_VALUE, "7 is no hash function");
    REFUSED(lw_hash_context_update(NULL, "abc", 3), LW_ERROR_NULL, "context is null");
    REFUSED(lw_hash_scheduler_submit(NULL, 1, "abc", 3), LW_ERROR_NULL, "scheduler is null");
    EXPECT(lw_hash_context_new(LW_MD5, &context) == LW_OK && lw_hash_scheduler_new(LW_SHA1, &scheduler) == LW_OK);
    REFUSED(lw_hash_scheduler_update(scheduler, 1, context, "abc", 3), LW_ERROR_VALUE, "of another hash function");
    REFUSED(lw_hash_scheduler_completed(scheduler, NULL), LW_ERROR_NULL, "job is null");
    EXPECT(lw_hash_context_update(context, "abc", 3) == LW_OK);
    lw_hash_context_free(context);
    lw_hash_context_free(NULL);
    lw_hash_scheduler_free(scheduler);
    lw_hash_scheduler_free(NULL);
    return failures == 0 ? 0 : 1;
}
