// Half of a word seems to belong to one thread: the other one writes both halves only after it
// has seen every beat in turn, which runs at random hardly ever come to.
//@ engines: explore
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define BEATS 8

static atomic_int beat;
static union {
    long both;
    int half[2];
} word;

static void *listen(void *arg) {
    word.half[0] = 2;
    for (int i = 1; i <= BEATS; i++)
        if (beat != i)
            return arg;
    word.both = 0;
    return arg;
}

int main(void) {
    pthread_t listener;
    pthread_create(&listener, 0, listen, 0);
    for (int i = 1; i <= BEATS; i++)
        beat = i;
    word.half[0] = 1;
    word.half[1] = 1;
    assert(word.half[1] == 1); //~ VIOLATION: assertion
    pthread_join(listener, 0);
    assert(word.half[0] != 3);
    return 0;
}
