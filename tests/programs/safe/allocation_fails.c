// Requests for memory that must fail: sizes that overflow or are too large, alignments
// that are none. What the C library says then, and what it leaves alone.
//@ verdict: bounded
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    errno = 0;
    assert(calloc(SIZE_MAX / 2, 3) == NULL && errno == ENOMEM);
    errno = 0;
    assert(calloc(3, SIZE_MAX / 2) == NULL && errno == ENOMEM);
    errno = 0;
    assert(malloc(SIZE_MAX / 2) == NULL && errno == ENOMEM);
    char *empty = calloc(0, SIZE_MAX);
    assert(empty != NULL);
    char *kept = malloc(4);
    kept[3] = 7;
    errno = 0;
    assert(realloc(kept, SIZE_MAX / 2) == NULL && errno == ENOMEM);
    errno = 0;
    assert(reallocarray(kept, SIZE_MAX / 2, 4) == NULL && errno == ENOMEM);
    assert(kept[3] == 7);
    kept = reallocarray(kept, 2, 4);
    assert(kept[3] == 7);
    assert(realloc(kept, 0) == NULL);

    void *block = &errno;
    errno = 0;
    assert(posix_memalign(&block, 24, 8) == EINVAL);
    assert(posix_memalign(&block, 0, 8) == EINVAL);
    assert(posix_memalign(&block, sizeof(void *) / 2, 8) == EINVAL);
    assert(posix_memalign(&block, 64, SIZE_MAX / 2) == ENOMEM);
    assert(block == &errno && errno == 0);
    assert(posix_memalign(&block, 64, 8) == 0 && (uintptr_t)block % 64 == 0);
    free(block);
    errno = 0;
    assert(aligned_alloc(24, 48) == NULL && errno == EINVAL);
    errno = 0;
    assert(aligned_alloc(16, SIZE_MAX / 2) == NULL && errno == ENOMEM);
    free(aligned_alloc(1, 3));
    free(empty);
    return 0;
}
