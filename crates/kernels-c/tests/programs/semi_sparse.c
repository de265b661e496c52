/* Matrices from files and stored plans. Run with a folder to write to. Exits with the number of failures. */
#include <loopwright_kernels.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define EXPECT(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "line %d: %s (last error: %s)\n", __LINE__, #condition, lw_last_error()); \
            failures++; \
        } \
    } while (0)

#define REFUSED(call, status, text) \
    do { \
        EXPECT((call) == (status)); \
        EXPECT(strstr(lw_last_error(), (text)) != NULL); \
    } while (0)

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    EXPECT(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

int main(int count, char **arguments)
{
    static const char matrix[] = "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 3 1.5\n2 1 2\n2 2 3\n";
    char path[4096];
    double x[3] = {1, 10, 100}, y[2] = {0, 0};
    float fx[3] = {1, 10, 100}, fy[2] = {0, 0};
    int16_t ix[3] = {1, 10, 100};
    int32_t iy[2] = {0, 0};
    static const uint32_t forms[] = {LW_FORM_TILES, LW_FORM_SELL, LW_FORM_CSR, LW_FORM_DENSE, LW_FORM_WINDOWS};
    lw_semi_sparse_options options = {LW_CHOICE_MODELLED, 8};
    uint32_t form = 99;
    lw_semi_sparse *plan = NULL, *loaded = NULL;
    unsigned char *stored;
    size_t length = 0, again = 0;

    if (count != 2 || strlen(arguments[1]) > 4000)
        return 99;
    snprintf(path, sizeof path, "%s/matrix.mtx", arguments[1]);

    /* Files. */
    REFUSED(lw_semi_sparse_read_f64(path, NULL, &plan), LW_ERROR_FILE, "matrix.mtx: cannot be read");
    REFUSED(lw_semi_sparse_read_f64(NULL, NULL, &plan), LW_ERROR_NULL, "path is null");
    REFUSED(lw_semi_sparse_read_f64(path, NULL, NULL), LW_ERROR_NULL, "plan is null");
    put_file(path, "%%MatrixMarket matrix coordinate real general\n2 3 1\n3 1 1\n");
    REFUSED(lw_semi_sparse_read_f64(path, NULL, &plan), LW_ERROR_DATA, "matrix.mtx: line 3");
    put_file(path, matrix);
    REFUSED(lw_semi_sparse_read_i16(path, NULL, &plan), LW_ERROR_DATA, "cannot be held as i16");
    EXPECT(plan == NULL);
    EXPECT(lw_semi_sparse_read_f32(path, NULL, &plan) == LW_OK);
    EXPECT(lw_semi_sparse_multiply_f32(plan, fx, fy, 1, 0) == LW_OK && fy[0] == 150 && fy[1] == 32);
    lw_semi_sparse_free(plan);

    /* Options. */
    for (options.choice = LW_CHOICE_MODELLED; options.choice <= LW_CHOICE_WINDOWS; options.choice++) {
        EXPECT(lw_semi_sparse_read_f64(path, &options, &plan) == LW_OK && lw_semi_sparse_form(plan, &form) == LW_OK);
        EXPECT(options.choice < LW_CHOICE_TILES || form == forms[options.choice - LW_CHOICE_TILES]);
        EXPECT(lw_semi_sparse_multiply_f64(plan, x, y, 1, 0) == LW_OK && y[0] == 150 && y[1] == 32);
        lw_semi_sparse_free(plan);
    }
    plan = NULL;
    REFUSED(lw_semi_sparse_read_f64(path, &options, &plan), LW_ERROR_VALUE, "7 is no lw_choice");
    EXPECT(plan == NULL);
    EXPECT(lw_semi_sparse_read_f64(path, NULL, &plan) == LW_OK && lw_semi_sparse_nnz(plan) == 3);

    /* Stored and loaded. */
    REFUSED(lw_semi_sparse_store(NULL, NULL, 0, &length), LW_ERROR_NULL, "plan is null");
    REFUSED(lw_semi_sparse_store(plan, NULL, 0, NULL), LW_ERROR_NULL, "length is null");
    REFUSED(lw_semi_sparse_store(plan, NULL, 8, &length), LW_ERROR_NULL, "buffer is null");
    EXPECT(lw_semi_sparse_store(plan, NULL, 0, &length) == LW_OK && length > 42);
    stored = malloc(length);
    if (stored == NULL)
        return 98;
    REFUSED(lw_semi_sparse_store(plan, stored, length - 1, &again), LW_ERROR_LENGTH, "pass a buffer of as many");
    EXPECT(again == length);
    EXPECT(lw_semi_sparse_store(plan, stored, length, &again) == LW_OK && again == length);
    lw_semi_sparse_free(plan);
    EXPECT(lw_semi_sparse_load(stored, length, &loaded) == LW_OK);
    EXPECT(lw_semi_sparse_rows(loaded) == 2 && lw_semi_sparse_columns(loaded) == 3);
    EXPECT(lw_semi_sparse_multiply_f64(loaded, x, y, 1, 0) == LW_OK && y[0] == 150 && y[1] == 32);
    REFUSED(lw_semi_sparse_multiply_i16(loaded, ix, iy, 1, 0), LW_ERROR_VALUE, "the plan is not of i16");
    lw_semi_sparse_free(loaded);
    loaded = NULL;
    REFUSED(lw_semi_sparse_load(NULL, length, &loaded), LW_ERROR_NULL, "data is null");
    REFUSED(lw_semi_sparse_load(stored, 0, &loaded), LW_ERROR_DATA, "ends too early");
    REFUSED(lw_semi_sparse_load(stored, length - 1, &loaded), LW_ERROR_DATA, "bytes have changed");
    stored[length - 1] ^= 1;
    REFUSED(lw_semi_sparse_load(stored, length, &loaded), LW_ERROR_DATA, "bytes have changed");
    stored[8] = 77;
    REFUSED(lw_semi_sparse_load(stored, length, &loaded), LW_ERROR_DATA, "no type of elements that is known");
    EXPECT(loaded == NULL);
    free(stored);

    return failures;
}
