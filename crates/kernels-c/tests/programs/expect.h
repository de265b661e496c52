/* What the test programs expect. */
#include <loopwright_kernels.h>
#include <stdio.h>
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
        lw_status got = (call); \
        EXPECT(got == (status)); \
        EXPECT(strstr(lw_last_error(), (text)) != NULL); \
        EXPECT(strlen(lw_error_message(got)) > 3); \
    } while (0)
