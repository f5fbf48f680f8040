// A machine whose instructions are labels, run by two threads.
#include <assert.h>
#include <pthread.h>

enum { ADD, DOUBLE, END };

static int run(const unsigned char *code, int value) {
    static void *const labels[] = {&&add, &&twice, &&end};
    static const int offsets[] = {&&add - &&add, &&twice - &&add, &&end - &&add};
    goto *labels[*code];
add:
    value += *++code;
    goto *labels[*++code];
twice:
    value *= 2;
    goto *(&&add + offsets[*++code]);
end:
    return value;
}

static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *code) {
    int value = run(code, 1);
    pthread_mutex_lock(&lock);
    total += value;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    static unsigned char first[] = {ADD, 3, DOUBLE, END}, second[] = {DOUBLE, DOUBLE, ADD, 5, END};
    pthread_t thread;
    pthread_create(&thread, 0, work, first);
    work(second);
    pthread_join(thread, 0);
    assert(total == 8 + 9);
    return 0;
}
