// A vector is not stored in one step.
#include <assert.h>
#include <pthread.h>

typedef int four __attribute__((vector_size(16)));

static four shared;

static void *writer(void *unused) {
    shared = (four){1, 1, 1, 1};
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    four seen = shared;
    assert(seen[0] == seen[3]); //~ VIOLATION: assertion
    pthread_join(thread, 0);
    return 0;
}
