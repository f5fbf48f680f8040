// With an argument, one of the threads does something else.
#include <assert.h>
#include <pthread.h>

static int a, b, turn;
static int other;

static void *first(void *arg) {
    (void)arg;
    if (other) {
        pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    a = 1;
    turn = b;
    return 0;
}

static void *second(void *arg) {
    (void)arg;
    b = 1;
    if (a) assert(turn);
    return 0;
}

int main(int argc, char **argv) {
    pthread_t one, two;
    (void)argv;
    other = argc > 1;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
