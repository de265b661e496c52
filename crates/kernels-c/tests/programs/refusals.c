/* Everything that only C can get wrong is an error value, and nothing is written. Exits with the line that fails. */
#include "expect.h"

int main(void)
{
    unsigned char bytes[64] = {1, 2, 3}, before[64];
    lw_fletcher4_sums sums = {{1, 2, 3, 4}};
    uint16_t checksum = 7;
    double a[8] = {0}, b[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    size_t indptr[3] = {0, 1, 2};
    uint32_t indices[2] = {1, 0}, form = 99;
    float values[2] = {2, 3}, x[2] = {10, 20}, y[2] = {0, 0};
    lw_semi_sparse *plan = NULL;

    EXPECT(strcmp(lw_last_error(), "") == 0);
    EXPECT(strcmp(lw_error_message(LW_OK), "done") == 0);
    memcpy(before, bytes, sizeof bytes);

    /* Null: refused, but where there is nothing to read. */
    REFUSED(lw_fletcher4(NULL, 4, &sums), LW_ERROR_NULL, "data is null");
    REFUSED(lw_fletcher4(bytes, 4, NULL), LW_ERROR_NULL, "sums is null");
    REFUSED(lw_fletcher16_update(NULL, bytes, 4), LW_ERROR_NULL, "checksum is null");
    REFUSED(lw_fletcher4_combine(NULL, &sums, 4, &sums), LW_ERROR_NULL, "first is null");
    REFUSED(lw_byteswap(4, bytes, NULL, 64), LW_ERROR_NULL, "destination is null");
    REFUSED(lw_add_f64(a, b, NULL, 8), LW_ERROR_NULL, "c is null");
    REFUSED(lw_byteswap_file(4, NULL, "out", NULL), LW_ERROR_NULL, "input is null");
    REFUSED(lw_semi_sparse_multiply_f32(NULL, x, y, 1, 0), LW_ERROR_NULL, "plan is null");
    EXPECT(sums.words[0] == 1 && sums.words[3] == 4 && checksum == 7);
    EXPECT(lw_fletcher16(NULL, 0, &checksum) == LW_OK && checksum == 0);
    EXPECT(lw_byteswap(4, NULL, NULL, 0) == LW_OK);
    lw_semi_sparse_free(NULL);

    /* Lengths. */
    REFUSED(lw_fletcher4(bytes, 5, &sums), LW_ERROR_LENGTH, "5 bytes are not a multiple of 4");
    REFUSED(lw_fletcher4(bytes, SIZE_MAX - 3, &sums), LW_ERROR_LENGTH, "more than a process can have");
    REFUSED(lw_byteswap(8, bytes, bytes, 12), LW_ERROR_LENGTH, "12 bytes are not a multiple of 8");
    REFUSED(lw_fill_f64(a, 1, SIZE_MAX / 4), LW_ERROR_LENGTH, "more than an address space holds");

    /* Values. */
    REFUSED(lw_byteswap(3, bytes, bytes, 12), LW_ERROR_VALUE, "use 2, 4 or 8");
    checksum = 0xffff;
    REFUSED(lw_fletcher16_update(&checksum, bytes, 4), LW_ERROR_VALUE, "0xffff is no checksum");
    EXPECT(checksum == 0xffff);
    REFUSED(lw_stream_f64_with(LW_ISA_SCALAR, 9, LW_FILL, a, NULL, 1, NULL, 8), LW_ERROR_VALUE, "kind of stores");
    REFUSED(lw_stream_f64_with(LW_ISA_SCALAR, 0, 9, a, NULL, 1, NULL, 8), LW_ERROR_VALUE, "no operation");

    /* Levels. */
    REFUSED(lw_fletcher4_with(4, bytes, 64, &sums), LW_ERROR_ISA_UNKNOWN, "4 is no instruction-set level");
    EXPECT(lw_isa_name(4) == NULL);
    EXPECT(lw_isa_is_available(LW_ISA_SCALAR) == 1 && lw_isa_is_available(lw_isa_best()) == 1);
    if (!lw_isa_is_available(LW_ISA_AVX512))
        REFUSED(lw_fletcher4_with(LW_ISA_AVX512, bytes, 64, &sums), LW_ERROR_ISA_UNAVAILABLE, "cannot run the level");

    /* Overlap and alignment. */
    REFUSED(lw_byteswap(4, bytes, bytes + 4, 32), LW_ERROR_OVERLAP, "overlap 4 bytes apart");
    REFUSED(lw_copy_f64(a + 1, a, 7), LW_ERROR_OVERLAP, "overlap 8 bytes apart");
    REFUSED(lw_fill_f64((double *)(void *)(bytes + (((size_t)bytes & 7) == 0)), 1, 2), LW_ERROR_ALIGNMENT, "not aligned");
    EXPECT(memcmp(bytes, before, sizeof bytes) == 0);

    /* Files. */
    REFUSED(lw_byteswap_file(4, "/nonexistent/file", "out", NULL), LW_ERROR_FILE, "/nonexistent/file: cannot be read");

    /* What is right is done: in place, into a source, at any alignment. */
    EXPECT(lw_byteswap(2, bytes + 1, bytes + 1, 62) == LW_OK && bytes[1] == 3 && bytes[2] == 2);
    EXPECT(lw_add_f64(a, a, b, 8) == LW_OK && lw_triad_f64(a, a, 2, b, 8) == LW_OK && a[7] == 24);

    /* Matrices. */
    REFUSED(lw_semi_sparse_plan_f32(2, 1, indptr, indices, values, 2, NULL, &plan), LW_ERROR_VALUE, "columns count from 0");
    REFUSED(lw_semi_sparse_plan_f32(2, 2, indptr, indices, values, 1, NULL, &plan), LW_ERROR_VALUE, "row pointers");
    EXPECT(plan == NULL);
    EXPECT(lw_semi_sparse_plan_f32(2, 2, indptr, indices, values, 2, NULL, &plan) == LW_OK);
    EXPECT(lw_semi_sparse_rows(plan) == 2 && lw_semi_sparse_nnz(plan) == 2);
    EXPECT(lw_semi_sparse_form(plan, &form) == LW_OK && form <= LW_FORM_WINDOWS);
    EXPECT(lw_semi_sparse_multiply_f32(plan, x, y, 1, 0) == LW_OK && y[0] == 40 && y[1] == 30);
    EXPECT(lw_semi_sparse_multiply_f32_with(LW_ISA_SCALAR, plan, x, y, 1, 1) == LW_OK && y[0] == 80 && y[1] == 60);
    REFUSED(lw_semi_sparse_multiply_f32(plan, x, x + 1, 1, 0), LW_ERROR_OVERLAP, "x and y overlap");
    REFUSED(lw_semi_sparse_multiply_f64(plan, a, b, 1, 0), LW_ERROR_VALUE, "the plan is not of f64");
    lw_semi_sparse_free(plan);

    return failures == 0 ? 0 : 1;
}
