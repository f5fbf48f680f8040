// A number gets the bits of a pointer one by one, by branches, and becomes a pointer in
// memory without a cast. No assignment leads from the one to the other, so it is not to be
// seen in the text that the write goes to `checked`.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static int other, checked;
static union {
    int *pointer;
    uintptr_t number;
} slot = {&other};

static void *work(void *arg) {
    uintptr_t bits = 0;
    for (int i = 0; i < (int)(8 * sizeof bits); i++)
        if ((uintptr_t)&checked >> i & 1)
            bits += (uintptr_t)1 << i;
    slot.number = bits;
    *slot.pointer = 1;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    assert(checked == 0); //~ VIOLATION: assertion
    pthread_join(thread, 0);
    return 0;
}
