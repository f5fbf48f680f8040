// A pointer that is put together bit by bit is a number that never was a pointer, as far
// as anybody can tell before the program runs. What is written through it counts all the
// same.
#include <assert.h>
#include <pthread.h>

static int x, y;
static union {
    unsigned long number;
    int *pointer;
} to = {.pointer = &y};

static void *reader(void *arg) {
    assert(x == 0); //~ VIOLATION: assertion
    return arg;
}

static void *writer(void *arg) {
    *to.pointer = 1;
    return arg;
}

int main(void) {
    unsigned long address = (unsigned long)&x, number = 0;
    for (int bit = 0; bit < 64; bit++)
        if (address >> bit & 1)
            number |= 1ul << bit;
    to.number = number;
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
