// A normal mutex locked twice by the same thread.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock); //~ VIOLATION: deadlock
    return 0;
}
