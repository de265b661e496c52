/* loopwright_kernels.h: tuned kernels with run-time dispatch, for C and C++.
 *
 * Generated from the library's sources; docs/kernels/ has each kernel's contract, derivation and measurement.
 *
 * Results: every function that can fail returns an lw_status. LW_OK is 0. Any other value means that nothing has been
 * written; lw_last_error() has the text of what was wrong on this thread. Nothing aborts, exits or prints.
 *
 * Pointers: data has any alignment unless a function says otherwise. A pointer to data may be null when its length is 0. Data
 * is to stay valid and unchanged by other threads while a function runs; nothing is kept afterwards. Lengths are in bytes
 * unless a function says otherwise.
 *
 * Threads: every function can be called on any thread at any time, with data that no other thread writes.
 *
 * Levels: functions that end in _with run the code of the level they are told, an lw_isa. Results do not depend on it.
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
     * The number is none of an instruction-set level.
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
} lw_status;

/**
 * An instruction-set level: which code of a kernel runs. Functions that end in _with run the level they are told and
 * refuse one that the processor lacks; the others run the best one, or the one that the environment variable
 * LOOPWRIGHT_ISA names (scalar, sse42, avx2 or avx512), which is read once per process. Results never depend on it.
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
 * A constant matrix in the form that suits it best. Made by the lw_semi_sparse_plan functions, given back by
 * lw_semi_sparse_free(); used by any number of threads at once.
 */
typedef struct lw_semi_sparse lw_semi_sparse;

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
 * The level that functions without _with run.
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
 * copied, and aligned to their elements. The plan is written to plan.
 */
lw_status lw_semi_sparse_plan_f32(size_t rows,
                                  size_t columns,
                                  const size_t *indptr,
                                  const uint32_t *indices,
                                  const float *values,
                                  size_t nnz,
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
                                  lw_semi_sparse **plan);

/**
 * lw_semi_sparse_read_f32() for double.
 */
lw_status lw_semi_sparse_read_f64(const char *path, lw_semi_sparse **plan);

/**
 * lw_semi_sparse_read_f32() for int16_t; LW_ERROR_DATA for numbers that are no 16-bit integers.
 */
lw_status lw_semi_sparse_read_i16(const char *path, lw_semi_sparse **plan);

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
 * What a status means in general: a text that is never freed. A number that is none of lw_status has a text, too.
 */
const char *lw_error_message(int32_t status);

/**
 * What was wrong when a function last failed on this thread, and what to do about it; empty when none has. The text is
 * valid until a function fails on this thread again, or the thread ends. A success does not change it.
 */
const char *lw_last_error(void);

/**
 * a[i] = b[i] for i below elements. All arrays have so many elements. a is one of the
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
 * a[i] = b[i] for i below elements. All arrays have so many elements. a is one of the
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
