// Padding is never written. It is copied with its structure, by value, through memory that
// threads share and by memcpy, and nobody can tell.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct message {
    char kind;
    int value;
};

static struct message box;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct message make(char kind, int value) {
    struct message made;
    made.kind = kind;
    made.value = value;
    return made;
}

static void check(struct message seen) {
    assert(seen.kind == 0 || seen.kind == seen.value);
}

static void *post(void *arg) {
    struct message made = make(3, 3);
    pthread_mutex_lock(&lock);
    box = made;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, post, 0);
    struct message seen;
    pthread_mutex_lock(&lock);
    memcpy(&seen, &box, sizeof seen);
    pthread_mutex_unlock(&lock);
    check(seen);
    pthread_join(thread, 0);
    check(box);
    return 0;
}
