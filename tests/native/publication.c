// The flag is set before what it announces.
#include <assert.h>
#include <pthread.h>

static int data;
static int ready;

static void *writer(void *arg) {
    (void)arg;
    ready = 1;
    data = 42;
    return 0;
}

static void *reader(void *arg) {
    (void)arg;
    if (ready) assert(data == 42);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
