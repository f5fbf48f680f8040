// The thread's own variable ends with the thread.
#include <pthread.h>

__thread int own;

static void *work(void *argument) {
    own = 1;
    return &own;
}

int main(void) {
    pthread_t id;
    void *result;
    pthread_create(&id, 0, work, 0);
    pthread_join(id, &result);
    return *(int *)result; //~ VIOLATION: use-after-free
}
