/* loopwright_kernels.h: tuned kernels with run-time dispatch, for C and C++.
 *
 * Generated from the library's sources; docs/kernels/ has each kernel's contract, derivation and measurement.
 *
 * Results: every function that can fail returns an lw_status. LW_OK is 0. Any other value means that nothing has been
 * written; lw_last_error() has the text of what was wrong on this thread. Nothing aborts, exits or prints.
 *
 * Pointers: data has any alignment unless a function says otherwise. A pointer to data may be null when its length is 0. Data
 * is to stay valid and unchanged by other threads while a function runs; nothing is kept afterwards, but for data of jobs that
 * a scheduler of hashes has. Lengths are in bytes unless a function says otherwise.
 *
 * Threads: every function can be called on any thread at any time, with data that no other thread writes. Functions that end in
 * _par use a pool of threads, and in a process that was forked afterwards a pool of its own.
 *
 * Levels: functions that end in _with run the code of the level that is passed, an lw_isa. Results do not depend on it.
 */

#ifndef LOOPWRIGHT_KERNELS_H
#define LOOPWRIGHT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/**
 * What a function returns: LW_OK, or why it did nothing. lw_error_message() says what a value means in general,
 * lw_last_error() what was wrong this time.
 */
typedef enum {
    /**
     * Done.
     */
    LW_OK = 0,
    /**
     * A pointer is null that must not be.
     */
    LW_ERROR_NULL = 1,
    /**
     * A length is not one that the function takes.
     */
    LW_ERROR_LENGTH = 2,
    /**
     * Memory that is read and memory that is written overlap where they must not.
     */
    LW_ERROR_OVERLAP = 3,
    /**
     * A pointer is not aligned as its type requires.
     */
    LW_ERROR_ALIGNMENT = 4,
    /**
     * A value is outside its range.
     */
    LW_ERROR_VALUE = 5,
    /**
     * Unknown instruction-set level.
     */
    LW_ERROR_ISA_UNKNOWN = 6,
    /**
     * This processor cannot run the level.
     */
    LW_ERROR_ISA_UNAVAILABLE = 7,
    /**
     * A file cannot be read or written.
     */
    LW_ERROR_FILE = 8,
    /**
     * Data is corrupt, or of a version that cannot be read.
     */
    LW_ERROR_DATA = 9,
    /**
     * A defect of the library itself; please report it.
     */
    LW_ERROR_INTERNAL = 10,
    /**
     * A message is not what was sealed with these keys.
     */
    LW_ERROR_REJECTED = 11,
    /**
     * An object cannot do this now.
     */
    LW_ERROR_STATE = 12,
} lw_status;

/**
 * An instruction-set level: which code of a kernel runs. Functions that end in _with run the level that is passed and
 * refuse one that the processor lacks; the others run the one that is fastest here (lw_self_calibration()), or the one that the
 * environment variable LOOPWRIGHT_ISA names (scalar, sse42, avx2 or avx512), which is read once per process. Results never
 * depend on it.
 */
enum lw_isa
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * What every processor of the architecture has.
     */
    LW_ISA_SCALAR = 0,
    /**
     * SSE4.2, SSSE3 and POPCNT (x86-64-v2): vectors of 128 bits.
     */
    LW_ISA_SSE42 = 1,
    /**
     * AVX2, FMA, BMI1, BMI2, LZCNT, F16C and MOVBE (x86-64-v3): vectors of 256 bits.
     */
    LW_ISA_AVX2 = 2,
    /**
     * AVX-512 F, BW, CD, DQ and VL (x86-64-v4): vectors of 512 bits and masks.
     */
    LW_ISA_AVX512 = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lw_isa lw_isa;
#else
typedef uint32_t lw_isa;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How the form of a matrix is chosen.
 */
enum lw_choice
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The one that is cheapest by the costs of the machine.
     */
    LW_CHOICE_MODELLED = 0,
    /**
     * The fastest, measured at this moment; takes some milliseconds, and may choose differently from run to run.
     */
    LW_CHOICE_MEASURED = 1,
    /**
     * LW_FORM_TILES.
     */
    LW_CHOICE_TILES = 2,
    /**
     * LW_FORM_SELL.
     */
    LW_CHOICE_SELL = 3,
    /**
     * LW_FORM_CSR.
     */
    LW_CHOICE_CSR = 4,
    /**
     * LW_FORM_DENSE.
     */
    LW_CHOICE_DENSE = 5,
    /**
     * LW_FORM_WINDOWS.
     */
    LW_CHOICE_WINDOWS = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lw_choice lw_choice;
#else
typedef uint32_t lw_choice;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A cipher in CBC mode.
 */
enum lw_cipher
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * A key of 16 bytes.
     */
    LW_AES_128 = 0,
    /**
     * A key of 32 bytes.
     */
    LW_AES_256 = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lw_cipher lw_cipher;
#else
typedef uint32_t lw_cipher;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The form that a matrix is in.
 */
enum lw_form
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Tiles with relocation hints; what finds no place there in SELL-C-sigma.
     */
    LW_FORM_TILES = 0,
    /**
     * SELL-C-sigma.
     */
    LW_FORM_SELL = 1,
    /**
     * Compressed rows.
     */
    LW_FORM_CSR = 2,
    /**
     * Every element, zero or not.
     */
    LW_FORM_DENSE = 3,
    /**
     * Windows that slide over the columns; what finds no place there in SELL-C-sigma.
     */
    LW_FORM_WINDOWS = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lw_form lw_form;
#else
typedef uint32_t lw_form;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A hash function. MD5 and SHA-1 are broken against whoever wants two messages with one digest.
 */
enum lw_hash_algorithm
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * RFC 1321; digests of 16 bytes.
     */
    LW_MD5 = 0,
    /**
     * FIPS 180-4; digests of 20 bytes.
     */
    LW_SHA1 = 1,
    /**
     * FIPS 180-4; digests of 32 bytes.
     */
    LW_SHA256 = 2,
    /**
     * FIPS 180-4; digests of 64 bytes.
     */
    LW_SHA512 = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lw_hash_algorithm lw_hash_algorithm;
#else
typedef uint32_t lw_hash_algorithm;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The outcome of a job.
 */
enum lw_hash_outcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * No job is done.
     */
    LW_HASH_NONE = 0,
    /**
     * A piece is hashed: its context can be used again.
     */
    LW_HASH_PIECE = 1,
    /**
     * A message is finished: its digest is there.
     */
    LW_HASH_DIGEST = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lw_hash_outcome lw_hash_outcome;
#else
typedef uint32_t lw_hash_outcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A MAC.
 */
enum lw_mac
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Tags of 10 to 20 bytes.
     */
    LW_HMAC_SHA1 = 0,
    /**
     * Tags of 16 to 32 bytes.
     */
    LW_HMAC_SHA256 = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lw_mac lw_mac;
#else
typedef uint32_t lw_mac;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What the lw_stream functions do with every element.
 */
enum lw_operation
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * a[i] = b[i]
     */
    LW_COPY = 0,
    /**
     * a[i] = s
     */
    LW_FILL = 1,
    /**
     * a[i] = s b[i]
     */
    LW_SCALE = 2,
    /**
     * a[i] = b[i] + c[i]
     */
    LW_ADD = 3,
    /**
     * a[i] = b[i] + s c[i], rounded after the product and after the sum
     */
    LW_TRIAD = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lw_operation lw_operation;
#else
typedef uint32_t lw_operation;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How large results are written.
 */
enum lw_stores
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Past the caches above a measured size.
     */
    LW_STORES_BY_SIZE = 0,
    /**
     * Into the caches.
     */
    LW_STORES_PLAIN = 1,
    /**
     * Past the caches, where the level can.
     */
    LW_STORES_NON_TEMPORAL = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lw_stores lw_stores;
#else
typedef uint32_t lw_stores;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The keys of a cipher and a MAC, expanded. Made by lw_cbc_hmac_new(), erased and given back by lw_cbc_hmac_free(); used by any
 * number of threads at once.
 */
typedef struct lw_cbc_hmac lw_cbc_hmac;

/**
 * A message of which some pieces are hashed. Made by lw_hash_context_new(), given back by lw_hash_context_free(). Calls on several
 * threads wait for each other.
 */
typedef struct lw_hash_context lw_hash_context;

/**
 * Hashes messages, whole or in pieces, as they are submitted, several at a time. Made by lw_hash_scheduler_new(), given back by
 * lw_hash_scheduler_free(). Data of a job is to stay valid and unchanged until lw_hash_scheduler_completed() has handed
 * the job out, or the scheduler is freed. Calls on several threads wait for each other.
 */
typedef struct lw_hash_scheduler lw_hash_scheduler;

/**
 * A constant matrix in the form that suits it best. Made by the lw_semi_sparse_plan functions, given back by
 * lw_semi_sparse_free(); used by any number of threads at once.
 */
typedef struct lw_semi_sparse lw_semi_sparse;

/**
 * A message for lw_cbc_hmac_seal_many().
 */
typedef struct {
    /**
     * Its keys, which may be those of other messages, too.
     */
    const lw_cbc_hmac *keys;
    /**
     * Associated data: authenticated, not encrypted. May be null when there is none.
     */
    const void *aad;
    /**
     * Bytes of it.
     */
    size_t aad_length;
    /**
     * The data, encrypted in place. May be null when there is none.
     */
    void *data;
    /**
     * Bytes of it, a multiple of 16.
     */
    size_t length;
    /**
     * 16 unpredictable bytes, new for each message.
     */
    uint8_t iv[16];
    /**
     * The tag is written to the first bytes, as many as lw_cbc_hmac_tag_bytes() says; the others are as before.
     */
    uint8_t tag[32];
} lw_cbc_hmac_message;

/**
 * The Fletcher-2 sums of a beginning of the input, or of all of it: a0, a1, b0, b1, the words of
 * ZFS's zio_cksum_t. All zeros are those of no input.
 */
typedef struct {
    /**
     * a0, a1, b0, b1.
     */
    uint64_t words[4];
} lw_fletcher2_sums;

/**
 * The Fletcher-4 sums of a beginning of the input, or of all of it: a, b, c, d, the words of
 * ZFS's zio_cksum_t. All zeros are those of no input.
 */
typedef struct {
    /**
     * a, b, c, d.
     */
    uint64_t words[4];
} lw_fletcher4_sums;

/**
 * A message for lw_hash_many(): length bytes at data, of any alignment.
 */
typedef struct {
    /**
     * The bytes; may be null when there are none.
     */
    const void *data;
    /**
     * How many.
     */
    size_t length;
} lw_hash_message;

/**
 * A job that is done.
 */
typedef struct {
    /**
     * The tag it was submitted with.
     */
    uint64_t tag;
    /**
     * An lw_hash_outcome.
     */
    uint32_t outcome;
    /**
     * Bytes of the digest; 0 where there is none.
     */
    uint32_t digest_bytes;
    /**
     * The digest in the first bytes, zeros in the others.
     */
    uint8_t digest[64];
} lw_hash_job;

/**
 * How to plan a matrix. All zeros are the defaults.
 */
typedef struct {
    /**
     * An lw_choice: how the form is chosen.
     */
    uint32_t choice;
    /**
     * Vectors that will be multiplied at once, 0 for one: some forms multiply several almost as fast as one. Any plan
     * multiplies any number.
     */
    size_t vectors;
} lw_semi_sparse_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Writes the words of source, the bytes of each reversed, to destination. width is the size of a word: 2, 4 or 8 bytes, else
 * LW_ERROR_VALUE; length is in bytes, a multiple of it, else LW_ERROR_LENGTH. The two are the same (in place) or have no byte
 * in common, else LW_ERROR_OVERLAP. Any alignment. Large results are written past the caches.
 */
lw_status lw_byteswap(size_t width,
                      const void *source,
                      void *destination,
                      size_t length);

/**
 * lw_byteswap() with the code of one level, and with stores of one kind, an lw_stores.
 */
lw_status lw_byteswap_with(uint32_t isa,
                           uint32_t stores,
                           size_t width,
                           const void *source,
                           void *destination,
                           size_t length);

/**
 * lw_byteswap() on threads above a measured size.
 */
lw_status lw_byteswap_par(size_t width, const void *source, void *destination, size_t length);

/**
 * Writes the words of the file input, the bytes of each reversed, to the file output, which is created or overwritten, in
 * constant memory. *bytes becomes their number; it may be null. LW_ERROR_FILE: a file cannot be read or written;
 * LW_ERROR_LENGTH: it does not end with a whole word; LW_ERROR_OVERLAP: both are the same file.
 */
lw_status lw_byteswap_file(size_t width,
                           const char *input,
                           const char *output,
                           uint64_t *bytes);

/**
 * Expands the keys of an lw_cipher and an lw_mac, which must be independent of each other: 16 or 32 bytes for the cipher, at least
 * 16 for the MAC, else LW_ERROR_LENGTH. tag_bytes cuts tags: half the hash to all of it, at least 10; 0 does not. The keys
 * are written to keys. Their own memory stays the caller's to erase.
 */
lw_status lw_cbc_hmac_new(uint32_t cipher,
                          const void *cipher_key,
                          size_t cipher_key_length,
                          uint32_t mac,
                          const void *mac_key,
                          size_t mac_key_length,
                          size_t tag_bytes,
                          lw_cbc_hmac **keys);

/**
 * Bytes of a tag; 0 of null.
 */
size_t lw_cbc_hmac_tag_bytes(const lw_cbc_hmac *keys);

/**
 * Encrypts length bytes at data, a multiple of 16, else LW_ERROR_LENGTH, in place, and writes the tag to tag, which has tag_bytes
 * bytes, as many as lw_cbc_hmac_tag_bytes() says, else LW_ERROR_LENGTH. iv has 16 unpredictable bytes, new for
 * each message. aad is authenticated, not encrypted. data, aad and tag have no byte in common, else LW_ERROR_OVERLAP.
 */
lw_status lw_cbc_hmac_seal(const lw_cbc_hmac *keys,
                           const uint8_t *iv,
                           const void *aad,
                           size_t aad_length,
                           void *data,
                           size_t length,
                           uint8_t *tag,
                           size_t tag_bytes);

/**
 * lw_cbc_hmac_seal() with the code of one level.
 */
lw_status lw_cbc_hmac_seal_with(uint32_t isa,
                                const lw_cbc_hmac *keys,
                                const uint8_t *iv,
                                const void *aad,
                                size_t aad_length,
                                void *data,
                                size_t length,
                                uint8_t *tag,
                                size_t tag_bytes);

/**
 * Verifies the tag, in constant time, and decrypts length bytes at data in place. LW_ERROR_REJECTED when tag, IV, associated data
 * or ciphertext are not those that were sealed with these keys; data is as it was then. data has no byte in common with
 * aad and tag, else LW_ERROR_OVERLAP.
 */
lw_status lw_cbc_hmac_open(const lw_cbc_hmac *keys,
                           const uint8_t *iv,
                           const void *aad,
                           size_t aad_length,
                           void *data,
                           size_t length,
                           const uint8_t *tag,
                           size_t tag_bytes);

/**
 * lw_cbc_hmac_open() with the code of one level.
 */
lw_status lw_cbc_hmac_open_with(uint32_t isa,
                                const lw_cbc_hmac *keys,
                                const uint8_t *iv,
                                const void *aad,
                                size_t aad_length,
                                void *data,
                                size_t length,
                                const uint8_t *tag,
                                size_t tag_bytes);

/**
 * lw_cbc_hmac_seal() for count messages, several at a time, each with its own keys, IV and lengths, and its tag in the array.
 * The keys are of one cipher and one MAC, else LW_ERROR_VALUE. Data of a message has no byte in common with that of
 * others, with associated data and with the array, else LW_ERROR_OVERLAP.
 */
lw_status lw_cbc_hmac_seal_many(lw_cbc_hmac_message *messages,
                                size_t count);

/**
 * lw_cbc_hmac_seal_many() with the code of one level.
 */
lw_status lw_cbc_hmac_seal_many_with(uint32_t isa, lw_cbc_hmac_message *messages, size_t count);

/**
 * Erases keys and gives back their memory. Null is nothing.
 */
void lw_cbc_hmac_free(lw_cbc_hmac *keys);

/**
 * lw_cbc_hmac_seal() for length bytes, of any number: 1 to 16 bytes of padding (PKCS#7) are written after them, to the next
 * multiple of 16. data has room bytes in all, at least that multiple, else LW_ERROR_LENGTH; the length with padding is written to
 * sealed, which has no byte in common with the others.
 */
lw_status lw_cbc_hmac_seal_padded(const lw_cbc_hmac *keys,
                                  const uint8_t *iv,
                                  const void *aad,
                                  size_t aad_length,
                                  void *data,
                                  size_t length,
                                  size_t room,
                                  uint8_t *tag,
                                  size_t tag_bytes,
                                  size_t *sealed);

/**
 * lw_cbc_hmac_seal_padded() with the code of one level.
 */
lw_status lw_cbc_hmac_seal_padded_with(uint32_t isa,
                                       const lw_cbc_hmac *keys,
                                       const uint8_t *iv,
                                       const void *aad,
                                       size_t aad_length,
                                       void *data,
                                       size_t length,
                                       size_t room,
                                       uint8_t *tag,
                                       size_t tag_bytes,
                                       size_t *sealed);

/**
 * lw_cbc_hmac_open() for what lw_cbc_hmac_seal_padded() sealed: the number of bytes before the padding is written to opened, which
 * has no byte in common with the others. LW_ERROR_REJECTED also where the padding is none; data is as it was then.
 */
lw_status lw_cbc_hmac_open_padded(const lw_cbc_hmac *keys,
                                  const uint8_t *iv,
                                  const void *aad,
                                  size_t aad_length,
                                  void *data,
                                  size_t length,
                                  const uint8_t *tag,
                                  size_t tag_bytes,
                                  size_t *opened);

/**
 * lw_cbc_hmac_open_padded() with the code of one level.
 */
lw_status lw_cbc_hmac_open_padded_with(uint32_t isa,
                                       const lw_cbc_hmac *keys,
                                       const uint8_t *iv,
                                       const void *aad,
                                       size_t aad_length,
                                       void *data,
                                       size_t length,
                                       const uint8_t *tag,
                                       size_t tag_bytes,
                                       size_t *opened);

/**
 * The Fletcher-2 checksum of length bytes at data, words of 64 bits in pairs, least significant byte first. data has any alignment;
 * length is a multiple of 16, else LW_ERROR_LENGTH.
 */
lw_status lw_fletcher2(const void *data,
                       size_t length,
                       lw_fletcher2_sums *sums);

/**
 * lw_fletcher2() with the code of one level.
 */
lw_status lw_fletcher2_with(uint32_t isa, const void *data, size_t length, lw_fletcher2_sums *sums);

/**
 * The Fletcher-2 checksum of length bytes at data, words of 64 bits in pairs, most significant byte first. data has any alignment;
 * length is a multiple of 16, else LW_ERROR_LENGTH.
 */
lw_status lw_fletcher2_swapped(const void *data,
                               size_t length,
                               lw_fletcher2_sums *sums);

/**
 * lw_fletcher2_swapped() with the code of one level.
 */
lw_status lw_fletcher2_swapped_with(uint32_t isa, const void *data, size_t length, lw_fletcher2_sums *sums);

/**
 * Goes on with length bytes at data, words of 64 bits in pairs, least significant byte first: sums become those of all input so far.
 * length is a multiple of 16, else LW_ERROR_LENGTH, and nothing changes.
 */
lw_status lw_fletcher2_update(lw_fletcher2_sums *sums,
                              const void *data,
                              size_t length);

/**
 * lw_fletcher2_update() with the code of one level.
 */
lw_status lw_fletcher2_update_with(uint32_t isa, lw_fletcher2_sums *sums, const void *data, size_t length);

/**
 * Goes on with length bytes at data, words of 64 bits in pairs, most significant byte first: sums become those of all input so far.
 * length is a multiple of 16, else LW_ERROR_LENGTH, and nothing changes.
 */
lw_status lw_fletcher2_update_swapped(lw_fletcher2_sums *sums,
                                      const void *data,
                                      size_t length);

/**
 * lw_fletcher2_update_swapped() with the code of one level.
 */
lw_status lw_fletcher2_update_swapped_with(uint32_t isa,
                                           lw_fletcher2_sums *sums,
                                           const void *data,
                                           size_t length);

/**
 * Writes the sums of two neighbouring pieces to sums: first are the first one's, next are the second one's, which has
 * next_bytes bytes (a multiple of 16). Pieces can be summed in any order, or on several threads. sums may be first or
 * next.
 */
lw_status lw_fletcher2_combine(const lw_fletcher2_sums *first,
                               const lw_fletcher2_sums *next,
                               uint64_t next_bytes,
                               lw_fletcher2_sums *sums);

/**
 * The Fletcher-4 checksum of length bytes at data, words of 32 bits, least significant byte first. data has any alignment;
 * length is a multiple of 4, else LW_ERROR_LENGTH.
 */
lw_status lw_fletcher4(const void *data,
                       size_t length,
                       lw_fletcher4_sums *sums);

/**
 * lw_fletcher4() with the code of one level.
 */
lw_status lw_fletcher4_with(uint32_t isa, const void *data, size_t length, lw_fletcher4_sums *sums);

/**
 * The Fletcher-4 checksum of length bytes at data, words of 32 bits, most significant byte first. data has any alignment;
 * length is a multiple of 4, else LW_ERROR_LENGTH.
 */
lw_status lw_fletcher4_swapped(const void *data,
                               size_t length,
                               lw_fletcher4_sums *sums);

/**
 * lw_fletcher4_swapped() with the code of one level.
 */
lw_status lw_fletcher4_swapped_with(uint32_t isa, const void *data, size_t length, lw_fletcher4_sums *sums);

/**
 * Goes on with length bytes at data, words of 32 bits, least significant byte first: sums become those of all input so far.
 * length is a multiple of 4, else LW_ERROR_LENGTH, and nothing changes.
 */
lw_status lw_fletcher4_update(lw_fletcher4_sums *sums,
                              const void *data,
                              size_t length);

/**
 * lw_fletcher4_update() with the code of one level.
 */
lw_status lw_fletcher4_update_with(uint32_t isa, lw_fletcher4_sums *sums, const void *data, size_t length);

/**
 * Goes on with length bytes at data, words of 32 bits, most significant byte first: sums become those of all input so far.
 * length is a multiple of 4, else LW_ERROR_LENGTH, and nothing changes.
 */
lw_status lw_fletcher4_update_swapped(lw_fletcher4_sums *sums,
                                      const void *data,
                                      size_t length);

/**
 * lw_fletcher4_update_swapped() with the code of one level.
 */
lw_status lw_fletcher4_update_swapped_with(uint32_t isa,
                                           lw_fletcher4_sums *sums,
                                           const void *data,
                                           size_t length);

/**
 * Writes the sums of two neighbouring pieces to sums: first are the first one's, next are the second one's, which has
 * next_bytes bytes (a multiple of 4). Pieces can be summed in any order, or on several threads. sums may be first or
 * next.
 */
lw_status lw_fletcher4_combine(const lw_fletcher4_sums *first,
                               const lw_fletcher4_sums *next,
                               uint64_t next_bytes,
                               lw_fletcher4_sums *sums);

/**
 * The Fletcher-16 checksum of length bytes at data, of any alignment.
 */
lw_status lw_fletcher16(const void *data, size_t length, uint16_t *checksum);

/**
 * lw_fletcher16() with the code of one level.
 */
lw_status lw_fletcher16_with(uint32_t isa, const void *data, size_t length, uint16_t *checksum);

/**
 * Goes on with length bytes at data: checksum, 0 at first, becomes that of all input so far.
 * LW_ERROR_VALUE when *checksum is no checksum. Nothing changes then.
 */
lw_status lw_fletcher16_update(uint16_t *checksum, const void *data, size_t length);

/**
 * lw_fletcher16_update() with the code of one level.
 */
lw_status lw_fletcher16_update_with(uint32_t isa, uint16_t *checksum, const void *data, size_t length);

/**
 * Writes the checksum of two neighbouring pieces to checksum: first is the first one's, next is the second one's, which
 * has next_bytes bytes.
 */
lw_status lw_fletcher16_combine(uint16_t first,
                                uint16_t next,
                                uint64_t next_bytes,
                                uint16_t *checksum);

/**
 * The Fletcher-32 checksum of length bytes at data, of any alignment; bytes missing to a whole word of 2 at the end count as zero.
 */
lw_status lw_fletcher32(const void *data,
                        size_t length,
                        uint32_t *checksum);

/**
 * lw_fletcher32() with the code of one level.
 */
lw_status lw_fletcher32_with(uint32_t isa, const void *data, size_t length, uint32_t *checksum);

/**
 * Goes on with length bytes at data: checksum, 0 at first, becomes that of all input so far. length is a multiple of
 * 2, else LW_ERROR_LENGTH.
 * LW_ERROR_VALUE when *checksum is no checksum. Nothing changes then.
 */
lw_status lw_fletcher32_update(uint32_t *checksum,
                               const void *data,
                               size_t length);

/**
 * lw_fletcher32_update() with the code of one level.
 */
lw_status lw_fletcher32_update_with(uint32_t isa, uint32_t *checksum, const void *data, size_t length);

/**
 * Writes the checksum of two neighbouring pieces to checksum: first is the first one's, next is the second one's, which
 * has next_bytes bytes, a multiple of 2.
 */
lw_status lw_fletcher32_combine(uint32_t first,
                                uint32_t next,
                                uint64_t next_bytes,
                                uint32_t *checksum);

/**
 * The Fletcher-64 checksum of length bytes at data, of any alignment; bytes missing to a whole word of 4 at the end count as zero.
 */
lw_status lw_fletcher64(const void *data,
                        size_t length,
                        uint64_t *checksum);

/**
 * lw_fletcher64() with the code of one level.
 */
lw_status lw_fletcher64_with(uint32_t isa, const void *data, size_t length, uint64_t *checksum);

/**
 * Goes on with length bytes at data: checksum, 0 at first, becomes that of all input so far. length is a multiple of
 * 4, else LW_ERROR_LENGTH.
 * LW_ERROR_VALUE when *checksum is no checksum. Nothing changes then.
 */
lw_status lw_fletcher64_update(uint64_t *checksum,
                               const void *data,
                               size_t length);

/**
 * lw_fletcher64_update() with the code of one level.
 */
lw_status lw_fletcher64_update_with(uint32_t isa, uint64_t *checksum, const void *data, size_t length);

/**
 * Writes the checksum of two neighbouring pieces to checksum: first is the first one's, next is the second one's, which
 * has next_bytes bytes, a multiple of 4.
 */
lw_status lw_fletcher64_combine(uint64_t first,
                                uint64_t next,
                                uint64_t next_bytes,
                                uint64_t *checksum);

/**
 * Bytes of a digest: 16, 20, 32 or 64; 0 for a number that is no lw_hash_algorithm.
 */
size_t lw_hash_digest_bytes(uint32_t algorithm);

/**
 * The digest of length bytes at data, of any alignment, by an lw_hash_algorithm, is written to digest. digest_bytes is its size,
 * that of lw_hash_digest_bytes(), else LW_ERROR_LENGTH. The two have no byte in common, else LW_ERROR_OVERLAP.
 */
lw_status lw_hash(uint32_t algorithm,
                  const void *data,
                  size_t length,
                  uint8_t *digest,
                  size_t digest_bytes);

/**
 * lw_hash() with the code of one level.
 */
lw_status lw_hash_with(uint32_t isa,
                       uint32_t algorithm,
                       const void *data,
                       size_t length,
                       uint8_t *digest,
                       size_t digest_bytes);

/**
 * The digests of count messages of any lengths, several at a time: those of messages[0], messages[1] .. one after the other are
 * written to digests, which has digests_bytes bytes, count times lw_hash_digest_bytes(), else LW_ERROR_LENGTH. Messages may
 * overlap each other, but not digests, else LW_ERROR_OVERLAP.
 */
lw_status lw_hash_many(uint32_t algorithm,
                       const lw_hash_message *messages,
                       size_t count,
                       uint8_t *digests,
                       size_t digests_bytes);

/**
 * lw_hash_many() with the code of one level.
 */
lw_status lw_hash_many_with(uint32_t isa,
                            uint32_t algorithm,
                            const lw_hash_message *messages,
                            size_t count,
                            uint8_t *digests,
                            size_t digests_bytes);

/**
 * An empty message for an lw_hash_algorithm is written to context.
 */
lw_status lw_hash_context_new(uint32_t algorithm, lw_hash_context **context);

/**
 * lw_hash_context_new() with the code of one level.
 */
lw_status lw_hash_context_new_with(uint32_t isa, uint32_t algorithm, lw_hash_context **context);

/**
 * Hashes a piece more of the message: length bytes at data, of any alignment. LW_ERROR_STATE while a piece is with a
 * scheduler, and when the message is finished.
 */
lw_status lw_hash_context_update(lw_hash_context *context,
                                 const void *data,
                                 size_t length);

/**
 * The digest of the message so far is written to digest, which has digest_bytes bytes, as many as lw_hash_digest_bytes() says,
 * else LW_ERROR_LENGTH. The message may go on. LW_ERROR_STATE as for lw_hash_context_update().
 */
lw_status lw_hash_context_digest(const lw_hash_context *context,
                                 uint8_t *digest,
                                 size_t digest_bytes);

/**
 * A message that begins with what context has so far is written to copy. LW_ERROR_STATE as for lw_hash_context_update().
 */
lw_status lw_hash_context_copy(const lw_hash_context *context,
                               lw_hash_context **copy);

/**
 * Begins another message with the same algorithm and level. LW_ERROR_STATE while a piece is with a scheduler.
 */
lw_status lw_hash_context_reset(lw_hash_context *context);

/**
 * Takes back a context and gives back its memory; a piece of it may be with a scheduler. Null is nothing.
 */
void lw_hash_context_free(lw_hash_context *context);

/**
 * A scheduler without jobs, for an lw_hash_algorithm, is written to scheduler.
 */
lw_status lw_hash_scheduler_new(uint32_t algorithm, lw_hash_scheduler **scheduler);

/**
 * lw_hash_scheduler_new() with the code of one level.
 */
lw_status lw_hash_scheduler_new_with(uint32_t isa, uint32_t algorithm, lw_hash_scheduler **scheduler);

/**
 * Submits a whole message, length bytes at data, of any alignment. Work is done at once, or left until more jobs are there.
 */
lw_status lw_hash_scheduler_submit(lw_hash_scheduler *scheduler,
                                   uint64_t tag,
                                   const void *data,
                                   size_t length);

/**
 * Submits a piece of a message that goes on. Until its job is handed out as LW_HASH_PIECE the context cannot be used
 * (LW_ERROR_STATE), only freed. LW_ERROR_VALUE when it is of another hash function.
 */
lw_status lw_hash_scheduler_update(lw_hash_scheduler *scheduler,
                                   uint64_t tag,
                                   lw_hash_context *context,
                                   const void *data,
                                   size_t length);

/**
 * Submits the last piece of a message; it may be empty. The context can be freed, or begin another message by
 * lw_hash_context_reset(), at once.
 */
lw_status lw_hash_scheduler_finish(lw_hash_scheduler *scheduler,
                                   uint64_t tag,
                                   lw_hash_context *context,
                                   const void *data,
                                   size_t length);

/**
 * Does all that was submitted.
 */
lw_status lw_hash_scheduler_flush(lw_hash_scheduler *scheduler);

/**
 * Jobs that are not done; 0 of null.
 */
size_t lw_hash_scheduler_pending(const lw_hash_scheduler *scheduler);

/**
 * Hands out a job that is done, in the order in which they were: it is written to job. When none is, its outcome is
 * LW_HASH_NONE; lw_hash_scheduler_flush() gets the others done.
 */
lw_status lw_hash_scheduler_completed(lw_hash_scheduler *scheduler,
                                      lw_hash_job *job);

/**
 * Takes back a scheduler and gives back its memory. Jobs that are not handed out are lost; their contexts can only be
 * freed. Null is nothing.
 */
void lw_hash_scheduler_free(lw_hash_scheduler *scheduler);

/**
 * The highest level that functions without _with use.
 */
lw_isa lw_isa_best(void);

/**
 * 1 if this processor can run the level, else 0.
 */
int32_t lw_isa_is_available(uint32_t isa);

/**
 * The level's name, as LOOPWRIGHT_ISA takes it; null for a number that is none.
 */
const char *lw_isa_name(uint32_t isa);

/**
 * The level that LOOPWRIGHT_ISA names is written to isa; without the variable, the best level. Fails when the value of
 * the variable is refused (lw_last_error() says why); *isa is the best level then, and it is the one that runs.
 */
lw_status lw_isa_override(uint32_t *isa);

/**
 * Whether a choice between ways to do the same work is measured when it is first needed: yes (1, the default), or made by figures
 * that were measured on other machines (0). Measuring takes some hundred microseconds once for each choice, at most 50 ms in a
 * process, and is kept in the user's cache folder. Choices that were made before this call stay. Results never depend on it.
 */
lw_status lw_self_calibration(int32_t on);

/**
 * Takes back what a function yields in *plan, and gives back the memory. Null is nothing.
 */
void lw_semi_sparse_free(lw_semi_sparse *plan);

/**
 * Rows; 0 of null.
 */
size_t lw_semi_sparse_rows(const lw_semi_sparse *plan);

/**
 * Columns; 0 of null.
 */
size_t lw_semi_sparse_columns(const lw_semi_sparse *plan);

/**
 * Elements that were given; 0 of null.
 */
size_t lw_semi_sparse_nnz(const lw_semi_sparse *plan);

/**
 * Bytes that a product reads of the matrix; 0 of null.
 */
size_t lw_semi_sparse_bytes(const lw_semi_sparse *plan);

/**
 * The form that the matrix is in, an lw_form, is written to form.
 */
lw_status lw_semi_sparse_form(const lw_semi_sparse *plan, uint32_t *form);

/**
 * Plans a matrix of float for many products; takes some thousand times as long as one. Row r has the elements indptr[r]
 * .. indptr[r + 1] of indices (columns from 0, rising) and of values; indptr has rows + 1 numbers, the others have nnz. All are
 * copied, and aligned to their elements. options may be null: the form by the machine's costs, one vector at a time. The plan is
 * written to plan.
 */
lw_status lw_semi_sparse_plan_f32(size_t rows,
                                  size_t columns,
                                  const size_t *indptr,
                                  const uint32_t *indices,
                                  const float *values,
                                  size_t nnz,
                                  const lw_semi_sparse_options *options,
                                  lw_semi_sparse **plan);

/**
 * y = A x, or y += A x if add is not 0, for count vectors, one after the other in x (count times columns elements) and in
 * y (count times rows). x and y have no byte in common, else LW_ERROR_OVERLAP. LW_ERROR_VALUE when the plan is not of float.
 */
lw_status lw_semi_sparse_multiply_f32(const lw_semi_sparse *plan,
                                      const float *x,
                                      float *y,
                                      size_t count,
                                      int32_t add);

/**
 * lw_semi_sparse_multiply_f32() with the code of one level.
 */
lw_status lw_semi_sparse_multiply_f32_with(uint32_t isa,
                                           const lw_semi_sparse *plan,
                                           const float *x,
                                           float *y,
                                           size_t count,
                                           int32_t add);

/**
 * lw_semi_sparse_plan_f32() for double.
 */
lw_status lw_semi_sparse_plan_f64(size_t rows,
                                  size_t columns,
                                  const size_t *indptr,
                                  const uint32_t *indices,
                                  const double *values,
                                  size_t nnz,
                                  const lw_semi_sparse_options *options,
                                  lw_semi_sparse **plan);

/**
 * lw_semi_sparse_multiply_f32() for double.
 */
lw_status lw_semi_sparse_multiply_f64(const lw_semi_sparse *plan,
                                      const double *x,
                                      double *y,
                                      size_t count,
                                      int32_t add);

/**
 * lw_semi_sparse_multiply_f64() with the code of one level.
 */
lw_status lw_semi_sparse_multiply_f64_with(uint32_t isa,
                                           const lw_semi_sparse *plan,
                                           const double *x,
                                           double *y,
                                           size_t count,
                                           int32_t add);

/**
 * lw_semi_sparse_plan_f32() for int16_t, summed in int32_t modulo 2^32.
 */
lw_status lw_semi_sparse_plan_i16(size_t rows,
                                  size_t columns,
                                  const size_t *indptr,
                                  const uint32_t *indices,
                                  const int16_t *values,
                                  size_t nnz,
                                  const lw_semi_sparse_options *options,
                                  lw_semi_sparse **plan);

/**
 * lw_semi_sparse_multiply_f32() for int16_t, summed in int32_t modulo 2^32.
 */
lw_status lw_semi_sparse_multiply_i16(const lw_semi_sparse *plan,
                                      const int16_t *x,
                                      int32_t *y,
                                      size_t count,
                                      int32_t add);

/**
 * lw_semi_sparse_multiply_i16() with the code of one level.
 */
lw_status lw_semi_sparse_multiply_i16_with(uint32_t isa,
                                           const lw_semi_sparse *plan,
                                           const int16_t *x,
                                           int32_t *y,
                                           size_t count,
                                           int32_t add);

/**
 * lw_semi_sparse_plan_f32() of the matrix in a Matrix Market file: coordinate or array format, real, integer or pattern.
 * LW_ERROR_FILE when the file cannot be opened, LW_ERROR_DATA, with the line, when it is no such matrix.
 */
lw_status lw_semi_sparse_read_f32(const char *path,
                                  const lw_semi_sparse_options *options,
                                  lw_semi_sparse **plan);

/**
 * lw_semi_sparse_read_f32() for double.
 */
lw_status lw_semi_sparse_read_f64(const char *path,
                                  const lw_semi_sparse_options *options,
                                  lw_semi_sparse **plan);

/**
 * lw_semi_sparse_read_f32() for int16_t; LW_ERROR_DATA for numbers that are no 16-bit integers.
 */
lw_status lw_semi_sparse_read_i16(const char *path,
                                  const lw_semi_sparse_options *options,
                                  lw_semi_sparse **plan);

/**
 * The plan as bytes, the same on every machine, for lw_semi_sparse_load(). How many there are is written to length in any
 * case; the bytes only when capacity has room for them, else LW_ERROR_LENGTH. With capacity 0 buffer may be null, and
 * only the length is asked for.
 */
lw_status lw_semi_sparse_store(const lw_semi_sparse *plan,
                               void *buffer,
                               size_t capacity,
                               size_t *length);

/**
 * A plan from the bytes that lw_semi_sparse_store() made, of the type that it had. LW_ERROR_DATA when they have changed, or
 * are of a version that this library does not know. The plan is written to plan.
 */
lw_status lw_semi_sparse_load(const void *data,
                              size_t length,
                              lw_semi_sparse **plan);

/**
 * What a status means in general: a text that is never freed. A number that is not in lw_status has a text, too.
 */
const char *lw_error_message(int32_t status);

/**
 * What was wrong when a function last failed on this thread, and what to do about it; empty when none has. The text is
 * valid until a function fails on this thread again, or the thread ends. A success does not change it.
 */
const char *lw_last_error(void);

/**
 * a[i] = b[i] for i below elements. All arrays have this length. a is one of the
 * sources or has no byte in common with them, else LW_ERROR_OVERLAP. Arrays are aligned to their elements, else
 * LW_ERROR_ALIGNMENT. Large results are written past the caches.
 */
lw_status lw_copy_f32(float *a,
                      const float *b,
                      size_t elements);

/**
 * a[i] = s for i below elements. As lw_copy_f32().
 */
lw_status lw_fill_f32(float *a, float s, size_t elements);

/**
 * a[i] = s b[i] for i below elements. As lw_copy_f32().
 */
lw_status lw_scale_f32(float *a, float s, const float *b, size_t elements);

/**
 * a[i] = b[i] + c[i] for i below elements. As lw_copy_f32().
 */
lw_status lw_add_f32(float *a, const float *b, const float *c, size_t elements);

/**
 * a[i] = b[i] + s c[i] for i below elements. As lw_copy_f32().
 */
lw_status lw_triad_f32(float *a, const float *b, float s, const float *c, size_t elements);

/**
 * Any operation, an lw_operation, with the code of one level and with stores of one kind, an lw_stores. Arrays that the
 * operation does not use may be null.
 */
lw_status lw_stream_f32_with(uint32_t isa,
                             uint32_t stores,
                             uint32_t operation,
                             float *a,
                             const float *b,
                             float s,
                             const float *c,
                             size_t elements);

/**
 * Any operation, an lw_operation, on threads above a measured size. Arrays that the operation does not use may be null.
 */
lw_status lw_stream_f32_par(uint32_t operation,
                            float *a,
                            const float *b,
                            float s,
                            const float *c,
                            size_t elements);

/**
 * a[i] = b[i] for i below elements. All arrays have this length. a is one of the
 * sources or has no byte in common with them, else LW_ERROR_OVERLAP. Arrays are aligned to their elements, else
 * LW_ERROR_ALIGNMENT. Large results are written past the caches.
 */
lw_status lw_copy_f64(double *a,
                      const double *b,
                      size_t elements);

/**
 * a[i] = s for i below elements. As lw_copy_f64().
 */
lw_status lw_fill_f64(double *a, double s, size_t elements);

/**
 * a[i] = s b[i] for i below elements. As lw_copy_f64().
 */
lw_status lw_scale_f64(double *a, double s, const double *b, size_t elements);

/**
 * a[i] = b[i] + c[i] for i below elements. As lw_copy_f64().
 */
lw_status lw_add_f64(double *a, const double *b, const double *c, size_t elements);

/**
 * a[i] = b[i] + s c[i] for i below elements. As lw_copy_f64().
 */
lw_status lw_triad_f64(double *a, const double *b, double s, const double *c, size_t elements);

/**
 * Any operation, an lw_operation, with the code of one level and with stores of one kind, an lw_stores. Arrays that the
 * operation does not use may be null.
 */
lw_status lw_stream_f64_with(uint32_t isa,
                             uint32_t stores,
                             uint32_t operation,
                             double *a,
                             const double *b,
                             double s,
                             const double *c,
                             size_t elements);

/**
 * Any operation, an lw_operation, on threads above a measured size. Arrays that the operation does not use may be null.
 */
lw_status lw_stream_f64_par(uint32_t operation,
                            double *a,
                            const double *b,
                            double s,
                            const double *c,
                            size_t elements);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* LOOPWRIGHT_KERNELS_H */
