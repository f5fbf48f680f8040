// The label is chosen by a variable that another thread changes.
#include <assert.h>
#include <pthread.h>

static int choice;

static void *writer(void *unused) {
    choice = 1;
    return unused;
}

int main(void) {
    static void *labels[] = {&&zero, &&one};
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int seen = choice;
    goto *labels[choice];
zero:
    assert(seen == 0);
    return 0;
one:
    assert(seen == 1); //~ VIOLATION: assertion
    return 0;
}
