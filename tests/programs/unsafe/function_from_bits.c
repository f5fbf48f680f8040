// A pointer to a function that is put together bit by bit: what it leads to is not known
// before the program runs, nor where the function gets its argument from.
#include <assert.h>
#include <pthread.h>

static int x, y, z = 1;

static void set_x(int value) { x = value; }
static void set_y(int value) { y = value; }

static union {
    unsigned long number;
    void (*function)(int);
} to = {.function = set_y};

static void *caller(void *arg) {
    to.function(z);
    return arg;
}

static void *writer(void *arg) {
    z = 0;
    return arg;
}

int main(void) {
    set_x(0);
    unsigned long address = (unsigned long)&set_x, number = 0;
    for (int bit = 0; bit < 64; bit++)
        if (address >> bit & 1)
            number |= 1ul << bit;
    to.number = number;
    pthread_t a, b;
    pthread_create(&a, 0, caller, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 0); //~ VIOLATION: assertion
}
